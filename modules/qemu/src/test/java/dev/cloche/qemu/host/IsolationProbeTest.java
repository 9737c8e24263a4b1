package dev.cloche.qemu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.KernelImage;
import dev.cloche.qemu.KernelProperties;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IsolationProbeTest {
    @TempDir
    Path directory;

    private IsolationProbe ofAGuardThatSays(String line) throws IOException {
        Path guard = directory.resolve("guard");
        Files.writeString(guard, "#!/bin/sh\necho '" + line + "'\nexit 70\n");
        Files.setPosixFilePermissions(guard, PosixFilePermissions.fromString("rwx------"));
        Path none = directory.resolve("none");
        KernelImage kernel = new KernelImage(none, none, new KernelProperties("small", "6.1", false, List.of()));
        return new IsolationProbe(
                new VmResources(none, guard, none, kernel), directory, Isolation.AUTO, new VmLimits.Group.None());
    }

    @Test
    void aGuardThatKnowsNoWallsIsRefusedWithTheRemedyOfItsRuntime() throws IOException {
        assertThatThrownBy(() ->
                        ofAGuardThatSays("failed unknown option --isolation").find())
                .isInstanceOfSatisfying(VmException.MissingResource.class, e -> {
                    assertThat(e.remedy()).contains("runtime");
                })
                .hasMessageContaining("is older than this library: it does not know --isolation");
    }

    @Test
    void aLevelThatIsNotToBeHadIsRefusedWithWhatIsMissing() throws IOException {
        assertThatThrownBy(() -> ofAGuardThatSays("failed the isolation full is not to be had (namespaces: no)")
                        .find())
                .isInstanceOf(VmException.IsolationUnavailable.class)
                .hasMessageContaining("full is not to be had (namespaces: no)");
    }
}
