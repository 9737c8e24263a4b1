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
import java.util.OptionalLong;
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

    @Test
    void groupsAreSaidToBeHadOrWhatTheyLack() {
        String path = "/sys/fs/cgroup/x.scope/cloche-1";
        HealthCheck whole = HostExamination.groups(group(Optional.of(path), ""), Verdict.WARNING);
        assertThat(whole.verdict()).isEqualTo(Verdict.OK);
        assertThat(whole.finding()).endsWith("in /sys/fs/cgroup/x.scope");
        HealthCheck part = HostExamination.groups(group(Optional.of(path), "tasks: it has none"), Verdict.WARNING);
        assertThat(part.verdict()).isEqualTo(Verdict.WARNING);
        assertThat(part.finding()).endsWith("these are not bounded: tasks: it has none");
        HealthCheck none = HostExamination.groups(group(Optional.empty(), "none is delegated"), Verdict.FAILURE);
        assertThat(none.verdict()).isEqualTo(Verdict.FAILURE);
        assertThat(none.finding()).endsWith("takes: none is delegated");
        assertThat(none.fix()).contains("systemd-run --user --scope -p Delegate=yes", "control-group");
        assertThat(HostExamination.groups(Optional.empty(), Verdict.WARNING).verdict())
                .isEqualTo(Verdict.OK);
        assertThat(HostExamination.groups(Optional.empty(), Verdict.FAILURE).fix())
                .contains("CLOCHE_LIMITS");
    }

    private static Optional<VmIsolation.Group> group(Optional<String> path, String missing) {
        return Optional.of(new VmIsolation.Group(path, missing, OptionalLong.empty()));
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
