package dev.cloche.qemu.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvmAccessTest {
    @Test
    void theGroupThatMayOpenItIsNamed() {
        assertThat(KvmAccess.remedy("virtual", PosixFilePermissions.fromString("rw-rw----")))
                .isEqualTo("add the user to its group, virtual, and log in again");
    }

    @Test
    void aGroupThatMayNotOpenItOrIsRootsIsNotJoined() {
        String give = "let root give it to a group that the user is in, such as kvm, with the mode 660";
        assertThat(KvmAccess.remedy("kvm", PosixFilePermissions.fromString("rw-r-----")))
                .isEqualTo(give);
        assertThat(KvmAccess.remedy("kvm", PosixFilePermissions.fromString("rw--w----")))
                .isEqualTo(give);
        assertThat(KvmAccess.remedy("root", PosixFilePermissions.fromString("rw-rw----")))
                .isEqualTo(give);
    }

    @Test
    void groupAndModeAreThoseOfTheFile(@TempDir Path directory) throws IOException {
        Path device = Files.createFile(directory.resolve("kvm"));
        Files.setPosixFilePermissions(device, PosixFilePermissions.fromString("rw-rw----"));
        String group =
                Files.readAttributes(device, PosixFileAttributes.class).group().getName();
        assertThat(KvmAccess.remedy(device))
                .isEqualTo(KvmAccess.remedy(group, PosixFilePermissions.fromString("rw-rw----")));
    }
}
