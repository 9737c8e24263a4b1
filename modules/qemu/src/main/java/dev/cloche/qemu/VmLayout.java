package dev.cloche.qemu;

import dev.cloche.base.DurableFiles;
import dev.cloche.qemu.guard.PrivateDirectory;
import dev.cloche.qemu.guard.RuntimeDirectory;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Says where the files and sockets of VMs are.
 *
 * @param stateRoot absolute; {@code vms/ID/} below it holds the files of a VM
 * @param runtimeDirectory absolute; holds the sockets, whose paths the kernel limits to 107 bytes
 */
public record VmLayout(Path stateRoot, Path runtimeDirectory) {
    /** {@code sun_path} of unix(7) has 108 bytes, one of them the NUL. */
    private static final int MAX_SOCKET_PATH = 107;

    /**
     * Where none is named for us. Not {@code $XDG_RUNTIME_DIR}, nor what {@code $TMPDIR} or a system property names: every process of the user must
     * find the same sockets, and those of a detached VM must outlive the login that started it.
     */
    private static final Path SHARED_TEMPORARY = Path.of("/tmp");

    /** A tmpfs on every Linux. */
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    /** The ports of a VM's guest: one of the owner and seven of clients. */
    public static final int PORTS = 8;

    /** The port of the guard's forwarder, beside those. */
    public static final int FORWARDER = PORTS;

    static final String SNAPSHOTS = "snapshots";

    public static final String OWNER_LOCK = "owner.lock";

    private static final int LONGEST_SOCKET_NAME = "/".length() + 40 + ".qmp".length();

    /** @throws VmException.Invalid if a path is not absolute, or too long for sockets in it */
    public VmLayout {
        if (!stateRoot.isAbsolute() || !runtimeDirectory.isAbsolute()) {
            throw new VmException.Invalid("The state root is not absolute", "Give absolute paths.");
        }
        if (!fits(runtimeDirectory)) {
            throw new VmException.Invalid(
                    "The path " + runtimeDirectory + " is too long for the names of sockets",
                    "Name a directory with a shorter path by CLOCHE_TMP or ClocheOptions.withTemporary: that of the sockets may"
                            + " have " + (MAX_SOCKET_PATH - LONGEST_SOCKET_NAME) + " bytes.");
        }
    }

    /**
     * Returns the layout below a state root, with sockets in a directory of {@code /tmp} that belongs to this user alone.
     * Makes both directories.
     *
     * @throws VmException.Storage if a directory cannot be made, or belongs to another user
     * @throws VmException.Invalid if the paths are not usable
     */
    public static VmLayout of(Path stateRoot) {
        return of(stateRoot, SHARED_TEMPORARY);
    }

    /** Returns the same with sockets in another directory than {@code /tmp}, which exists. */
    public static VmLayout of(Path stateRoot, Path temporary) {
        Path root;
        try {
            root = DurableFiles.ensureDirectory(stateRoot.toAbsolutePath()).toRealPath();
        } catch (IOException e) {
            throw unusable(stateRoot, e);
        }
        Path base = temporary.toAbsolutePath().resolve("cloche-" + PrivateDirectory.user());
        VmLayout layout = new VmLayout(root, base.resolve(hash(root)));
        try {
            RuntimeDirectory.ensure(layout);
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The directory " + base + ", for the sockets of VMs, is not usable: " + reason(e),
                    "Name a directory that may be written with CLOCHE_TMP or ClocheOptions.withTemporary, for all processes"
                            + " that use this state root.",
                    e);
        }
        try {
            DurableFiles.ensureDirectory(layout.vms());
        } catch (IOException e) {
            throw unusable(stateRoot, e);
        }
        return layout;
    }

    private static VmException.Storage unusable(Path stateRoot, IOException e) {
        return new VmException.Storage(
                "The state root " + stateRoot + " is not usable: " + reason(e),
                "Check its owner, its mode and the space on its disk.",
                e);
    }

    /** The message of this exception is the path alone. */
    private static String reason(IOException e) {
        return (e instanceof AccessDeniedException ? "permission denied for " : "") + e.getMessage();
    }

    public Path vms() {
        return stateRoot.resolve("vms");
    }

    public Path directory(VmId id) {
        return vms().resolve(id.value());
    }

    public Path snapshots() {
        return stateRoot.resolve(SNAPSHOTS);
    }

    /** Returns what was found out about what runs guests here: the same for all state roots of this user. */
    public Path accelerators() {
        return runtimeDirectory.resolveSibling("accelerators");
    }

    /** Returns the directory of blank disks, one of each size. */
    public Path blanks() {
        return stateRoot.resolve("blank");
    }

    /** Returns where the memory of a template's maker is if it fits; what is there goes with the VM. */
    public Path sharedMemory(VmId id) {
        return sharedMemory().resolve(id.value() + ".ram");
    }

    public Path sharedMemory() {
        return sharedMemoryOfUser().resolve(runtimeDirectory.getFileName().toString());
    }

    public Path sharedMemoryOfUser() {
        return SHARED_MEMORY.resolve("cloche-" + PrivateDirectory.user());
    }

    /** Returns the memory of a template's maker where it is on a disk. */
    public Path memoryOnDisk(VmId id) {
        return directory(id).resolve("ram");
    }

    /** Returns the lock that the owner of the VM holds. */
    public Path ownerLock(VmId id) {
        return directory(id).resolve(OWNER_LOCK);
    }

    /** Returns the lock that a client of the VM's monitor holds, which serves one client at a time. */
    public Path monitorLock(VmId id) {
        return directory(id).resolve("qmp.lock");
    }

    /** Returns the lock that the client of a port, 1 to 7, holds. */
    public Path portLock(VmId id, int port) {
        return directory(id).resolve("port-" + port + ".lock");
    }

    /** Returns the socket of a port, 0 to 8. */
    public Path portSocket(VmId id, int port) {
        return runtimeDirectory.resolve(id.value() + "." + port);
    }

    /** Returns the socket of a client's port or the forwarder's, 1 to 8, before the port is plugged in. */
    public Path pendingPortSocket(VmId id, int port) {
        return runtimeDirectory.resolve(id.value() + ".p" + port);
    }

    /** Returns where a guest's state goes through while it is saved or loaded. */
    public Path migrationSocket(VmId id) {
        return runtimeDirectory.resolve(id.value() + ".mig");
    }

    public Path monitorSocket(VmId id) {
        return runtimeDirectory.resolve(id.value() + ".qmp");
    }

    private static boolean fits(Path directory) {
        return directory.toString().getBytes(StandardCharsets.UTF_8).length + LONGEST_SOCKET_NAME <= MAX_SOCKET_PATH;
    }

    public static String hash(Path root) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(root.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
