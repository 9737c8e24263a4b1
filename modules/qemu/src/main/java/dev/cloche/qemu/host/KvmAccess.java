package dev.cloche.qemu.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Says what lets a user open {@code /dev/kvm}, where it is not open to them. */
final class KvmAccess {
    private KvmAccess() {}

    /** Returns half a sentence for the group and the mode of the device. */
    static String remedy(Path kvm) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(kvm, PosixFileAttributes.class);
        return remedy(attributes.group().getName(), attributes.permissions());
    }

    /** A group of root's is no group to be in. */
    static String remedy(String group, Set<PosixFilePermission> permissions) {
        boolean open = permissions.containsAll(Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE));
        return open && !group.equals("root")
                ? "add the user to its group, " + group + ", and log in again"
                : "let root give it to a group that the user is in, such as kvm, with the mode 660";
    }
}
