package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.guard.PrivateDirectory;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the files and sockets of VMs are, and that no other user put them there. */
class VmLayoutTest {
    @TempDir
    Path directory;

    @Test
    void socketsHaveShortNamesHoweverDeepTheStateRootIs() throws IOException {
        VmLayout layout = VmLayout.of(directory.resolve("x".repeat(90)).resolve("y".repeat(90)));
        assertThat(layout.monitorSocket(new VmId("x".repeat(40))).toString().length())
                .isLessThanOrEqualTo(107);
        Files.delete(layout.runtimeDirectory());
    }

    @Test
    void aRuntimeDirectoryThatLeavesNoRoomForSocketsIsRefused() throws IOException {
        Path longPath = Files.createDirectories(directory.resolve("x".repeat(90)));
        assertThatThrownBy(() -> VmLayout.of(directory.resolve("state"), longPath))
                .isInstanceOf(VmException.Invalid.class)
                .hasMessageContaining("CLOCHE_TMP");
    }

    @Test
    void aRuntimeDirectoryThatIsNotThisUsersAloneIsRefused() throws IOException {
        Path temporary = Files.createDirectory(directory.resolve("t"));
        Path base = temporary.resolve("cloche-" + PrivateDirectory.user());
        Files.createDirectory(base);
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertRefused(temporary);
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwx------"));
        VmLayout.of(directory.resolve("state"), temporary);

        Files.move(base, directory.resolve("elsewhere"));
        Files.createSymbolicLink(base, directory.resolve("elsewhere"));
        assertRefused(temporary);
    }

    @Test
    void aRuntimeDirectoryOfAStrangerIsRefused() throws IOException {
        Assumptions.assumeTrue(PrivateDirectory.user() == 0, "only root can give a directory to another user");
        Path temporary = Files.createDirectory(directory.resolve("t"));
        Path base = Files.createDirectory(
                temporary.resolve("cloche-0"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.setAttribute(base, "unix:uid", 12345);
        assertRefused(temporary);
    }

    @Test
    void whereSocketsHaveNoPlaceTheSettingForAnotherIsNamed() throws IOException {
        Path temporary = Files.writeString(directory.resolve("t"), "a file, below which no directory can be made");
        assertThatThrownBy(() -> VmLayout.of(directory.resolve("state"), temporary))
                .isInstanceOfSatisfying(VmException.Storage.class, refused -> {
                    assertThat(refused).hasMessageContaining("sockets").hasMessageContaining(temporary.toString());
                    assertThat(refused.remedy()).contains("CLOCHE_TMP");
                });
    }

    private void assertRefused(Path temporary) {
        assertThatThrownBy(() -> VmLayout.of(directory.resolve("state"), temporary))
                .isInstanceOf(VmException.Storage.class)
                .hasMessageContaining("not this user's alone");
    }
}
