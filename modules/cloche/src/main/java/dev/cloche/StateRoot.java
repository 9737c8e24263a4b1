package dev.cloche;

import dev.cloche.base.DurableFiles;
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
     * Makes the directory if it is missing.
     *
     * @return its real path
     * @throws HostException if it cannot be made, or somebody else owns it or can enter it
     */
    static Path ensure(Path home) {
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

    /** Whether nothing can be written there, whoever owns it. */
    static boolean isReadOnly(Path root) {
        try {
            return !Files.isWritable(root) && Files.getFileStore(root).isReadOnly();
        } catch (IOException e) {
            throw new HostException.StateRootUnusable(root, e);
        }
    }
}
