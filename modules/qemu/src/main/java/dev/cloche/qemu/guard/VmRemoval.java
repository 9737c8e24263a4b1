package dev.cloche.qemu.guard;

import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Removes a VM's directory: first it loses its name, in one step, then its files. A process that is killed in between leaves
 * nothing that looks like a VM, and the next removal completes it. Several may remove the same one at once.
 */
public final class VmRemoval {
    /** No name of a VM, so that no process takes half of one for a whole. */
    private static final String NAMELESS = ".gone-";

    private final VmLayout layout;

    public VmRemoval(VmLayout layout) {
        this.layout = layout;
    }

    /** Removes also the sockets of clients or of a killed guard; nothing happens if all that is gone. */
    public void remove(VmId id) {
        Path directory = layout.directory(id);
        try {
            finish();
            Files.deleteIfExists(layout.sharedMemory(id));
            Files.deleteIfExists(layout.migrationSocket(id));
            Files.deleteIfExists(layout.monitorSocket(id));
            for (int port = 0; port <= VmLayout.FORWARDER; port++) {
                // In the order in which a client that is late renames one to the other.
                Files.deleteIfExists(layout.pendingPortSocket(id, port));
                Files.deleteIfExists(layout.portSocket(id, port));
            }
            Path nameless = layout.vms().resolve(NAMELESS + id);
            Files.move(directory, nameless, StandardCopyOption.ATOMIC_MOVE);
            empty(nameless);
        } catch (NoSuchFileException goneMeanwhile) {
            return;
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The directory " + directory + " cannot be removed: " + e.getMessage(),
                    "Check its owner and mode, and remove it by hand.",
                    e);
        }
    }

    /** Removes what has lost its name and still has files. */
    public void finish() throws IOException {
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(layout.vms(), NAMELESS + "*")) {
            for (Path directory : unfinished) {
                empty(directory);
            }
        } catch (NoSuchFileException none) {
            return;
        }
    }

    /** Removes the directory of a VM whose making has failed, and lets go of its lock then. */
    public static void unmake(Path directory, LockFile lock, Exception why) {
        try (lock) {
            empty(directory);
        } catch (IOException left) {
            why.addSuppressed(left);
        }
    }

    /** Removes a directory of files. Another process that does so at the same time may be faster at any of them. */
    public static void empty(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (NoSuchFileException goneMeanwhile) {
            return;
        }
    }
}
