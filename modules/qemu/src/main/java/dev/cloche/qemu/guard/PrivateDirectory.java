package dev.cloche.qemu.guard;

import dev.cloche.base.DurableFiles;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Makes a directory that no other user can look into, also in a folder where every user may make names. */
public final class PrivateDirectory {
    private static final Set<PosixFilePermission> OWNERS_ALONE =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    private PrivateDirectory() {}

    /**
     * Makes the directory, or checks the one that is there.
     *
     * @throws VmException.Storage if it is a link, another user's, or open to others
     */
    public static void ensure(Path directory) throws IOException {
        DurableFiles.ensureDirectory(directory);
        boolean alone = Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && isMine(directory)
                && OWNERS_ALONE.containsAll(Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS));
        if (!alone) {
            throw new VmException.Storage(
                    "The directory " + directory + " is not this user's alone",
                    "Remove it or change its owner and mode (0700); another user may have put it there.",
                    null);
        }
    }

    /** Returns whether this is a directory of the user that this JVM runs as. */
    static boolean isMine(Path directory) {
        try {
            return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                    && owner(directory, LinkOption.NOFOLLOW_LINKS) == user();
        } catch (IOException unreadable) {
            return false;
        }
    }

    /** Returns the effective user id of this JVM: the owner that the kernel gives to its files in {@code /proc}. */
    public static int user() {
        try {
            return owner(Path.of("/proc/self/stat"));
        } catch (IOException e) {
            throw new UncheckedIOException("no /proc", e);
        }
    }

    private static int owner(Path path, LinkOption... options) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", options);
    }
}
