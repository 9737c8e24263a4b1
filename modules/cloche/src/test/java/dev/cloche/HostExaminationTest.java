package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.HealthCheck.Verdict;
import dev.cloche.qemu.KernelImage;
import dev.cloche.qemu.KernelProperties;
import dev.cloche.qemu.ResourceOrigin;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.VmIsolation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostExaminationTest {
    @TempDir
    private Path directory;

    @Test
    void aShareDirectoryOfTheStateRootIsSaidNotToBeUsed() throws Exception {
        ClocheOptions options = ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(Files.createDirectory(directory.resolve("empty")));
        String share = options.home().resolve("share").toString();
        assertThat(findings(options)).noneMatch(finding -> finding.startsWith(share));
        Files.createDirectory(options.home().resolve("share"));
        assertThat(findings(options)).contains(share + " is not looked at any more");
    }

    @Test
    void passtIsNoNetworkWhereThereAreNoNamespaces() {
        VmResources resources = resources(Optional.of(Path.of("/p")));
        VmIsolation full = new VmIsolation(VmIsolation.Level.FULL, "", 0);
        VmIsolation sealed = new VmIsolation(VmIsolation.Level.SEALED, "namespaces: Operation not permitted", 0);

        assertThat(HostExamination.network(resources, Optional.of(full), Verdict.WARNING))
                .isEqualTo(new HealthCheck("network", Verdict.OK, "passt at /p", ""));
        assertThat(HostExamination.network(resources, Optional.empty(), Verdict.WARNING)
                        .verdict())
                .isEqualTo(Verdict.OK);
        HealthCheck lacking = HostExamination.network(resources, Optional.of(sealed), Verdict.FAILURE);
        assertThat(lacking.verdict()).isEqualTo(Verdict.FAILURE);
        assertThat(lacking.finding()).startsWith("passt at /p, which needs user namespaces");
        assertThat(lacking.fix()).contains("container");
        assertThat(HostExamination.network(resources(Optional.empty()), Optional.of(full), Verdict.WARNING)
                        .finding())
                .contains("no passt");
    }

    private static List<String> findings(ClocheOptions options) {
        return Cloche.examine(options).stream().map(HealthCheck::finding).toList();
    }

    private static VmResources resources(Optional<Path> passt) {
        return new VmResources(
                Path.of("/q"),
                Path.of("/g"),
                Path.of("/t"),
                new KernelImage(Path.of("/k"), Path.of("/i"), new KernelProperties("small", "6.1", false, List.of())),
                passt,
                Optional.empty(),
                ResourceOrigin.unknown());
    }
}
