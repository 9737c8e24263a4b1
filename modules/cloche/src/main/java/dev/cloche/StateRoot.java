package dev.cloche;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.HostSystem;
import dev.cloche.linux.NativeAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** The directory of all state, which is its owner's alone. */
final class StateRoot {
    private static final Set<PosixFilePermission> OWNERS_ALONE = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    private StateRoot() {}

    /**
     * Makes the directory if it is missing, and chooses where libraries are unpacked that are loaded after this.
     *
     * @return its real path
     * @throws dev.cloche.linux.NativeAccessDeniedException if this JVM allows no native calls; nothing was made
     * @throws HostException if this system is not supported, or the directory cannot be made, or another user owns it or can
     *     enter it
     */
    static Path ensure(ClocheOptions options) {
        Path root = ensure(options.home());
        TemporaryDirectory.choose(options.temporary(), root);
        return root;
    }

    /** @throws HostException.Unsupported if there are no VMs for this system */
    static void requireSupportedSystem() {
        HostSystem system = HostSystem.ofThisJvm();
        if (!system.isSupported()) {
            throw new HostException.Unsupported(system);
        }
    }

    private static Path ensure(Path home) {
        requireSupportedSystem();
        NativeAccess.require();
        try {
            Path root = DurableFiles.ensureDirectory(home).toRealPath();
            PosixFileAttributes attributes = Files.readAttributes(root, PosixFileAttributes.class);
            // The owner of our own process, without a native call.
            String self = Files.getOwner(Path.of("/proc/self")).getName();
            if (!attributes.owner().getName().equals(self)) {
                throw new HostException.StateRootForeign(
                        home, attributes.owner().getName());
            }
            if (!OWNERS_ALONE.containsAll(attributes.permissions())) {
                throw new HostException.StateRootOpen(home);
            }
            return root;
        } catch (IOException e) {
            throw new HostException.StateRootUnusable(home, e);
        }
    }

    /** Returns whether nothing can be written there, also by its owner. */
    static boolean isReadOnly(Path root) {
        try {
            return !Files.isWritable(root) && Files.getFileStore(root).isReadOnly();
        } catch (IOException e) {
            throw new HostException.StateRootUnusable(root, e);
        }
    }
}
