package dev.cloche.qemu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.Accelerator;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the probe makes of a QEMU that behaves as on one kind of host or another: a shell script. */
@Timeout(1200)
class HostProbeTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String WORKS = "exit 33";
    private static final String HANGS = "while :; do :; done";
    private static final String NO_SUCH_REGISTER = """
            case "$*" in
            *arch-capabilities=off*) exit 33 ;;
            *) echo 'error: failed to set MSR 0x10a to 0x0'; exit 134 ;;
            esac
            """;

    @TempDir
    Path directory;

    private Path kvm;

    @BeforeEach
    void makeDevice() throws IOException {
        kvm = Files.createFile(directory.resolve("kvm"));
    }

    @Test
    void onAnIntelProcessorTheHostsModelIsTakenWithoutNestingAndCounters() throws IOException {
        VmCapabilities found = probe(WORKS, "intel", AcceleratorChoice.AUTO).capabilities();

        assertThat(found.accelerator()).isEqualTo(Accelerator.KVM);
        assertThat(found.version()).isEqualTo("7.2.22");
        assertThat(found.cpu()).isEqualTo("host,vmx=off,svm=off,pmu=off");
        assertThat(found.proven()).isTrue();
        assertThat(found.acceleratorReason()).contains("with -cpu host,vmx=off,svm=off,pmu=off.");
        assertThat(calls()).hasSize(1);
    }

    @Test
    void onAnAmdProcessorTheRegisterThatQemuCannotSetIsLeftOut() throws IOException {
        VmCapabilities found =
                probe(NO_SUCH_REGISTER, "amd", AcceleratorChoice.AUTO).capabilities();

        assertThat(found.accelerator()).isEqualTo(Accelerator.KVM);
        assertThat(found.cpu()).isEqualTo("host,vmx=off,svm=off,pmu=off,arch-capabilities=off");
        assertThat(found.acceleratorReason()).contains("arch-capabilities=off");
        assertThat(calls()).hasSize(1);
    }

    @Test
    void aProcessorOfAnotherVendorIsTriedBothWays() throws IOException {
        Path cpu = Files.writeString(directory.resolve("cpuinfo"), "vendor_id\t: CentaurHauls\n");
        HostCapabilities found = probe(NO_SUCH_REGISTER, cpu, AcceleratorChoice.AUTO, NOW);

        assertThat(found.accelerator()).isEqualTo(Accelerator.KVM);
        assertThat(calls()).hasSize(2);
    }

    @Test
    void aHostThatEmulatesKernelsIsAskedAgainAfterMinutes() throws IOException {
        HostCapabilities found = probe(HANGS, "intel", AcceleratorChoice.AUTO);

        assertThat(found.accelerator()).isEqualTo(Accelerator.TCG);
        assertThat(found.capabilities().acceleratorReason()).contains("emulate a guest's kernel");
        assertThat(found.askAgainAt()).hasValue(NOW.plus(Duration.ofMinutes(10)).toEpochMilli());
        assertThat(calls()).as("a second model is no faster").hasSize(2);

        Path intel = description("intel");
        assertThat(probe(WORKS, intel, AcceleratorChoice.AUTO, NOW.plusSeconds(599)))
                .isEqualTo(found);
        assertThat(probe(WORKS, intel, AcceleratorChoice.AUTO, NOW.minusSeconds(1))
                        .accelerator())
                .as("the clock was set back")
                .isEqualTo(Accelerator.KVM);
    }

    @Test
    void afterMinutesADoubtIsLookedAtAgain() throws IOException {
        var _ = probe(HANGS, "intel", AcceleratorChoice.AUTO);
        HostCapabilities found = probe(WORKS, description("intel"), AcceleratorChoice.AUTO, NOW.plusSeconds(600));

        assertThat(found.accelerator()).isEqualTo(Accelerator.KVM);
        assertThat(found.askAgainAt()).isEmpty();
        assertThat(probe(HANGS, description("intel"), AcceleratorChoice.AUTO, NOW.plus(Duration.ofDays(9))))
                .as("for this boot of the host")
                .isEqualTo(found);
    }

    @Test
    void aGuestWithoutAKernelsPrivilegeIsNoneThatRan() throws IOException {
        VmCapabilities found = probe("exit 65", "intel", AcceleratorChoice.AUTO).capabilities();

        assertThat(found.accelerator()).isEqualTo(Accelerator.TCG);
        assertThat(found.acceleratorReason()).contains("it takes a kernel's privilege from it");
    }

    @Test
    void whoAsksForEmulationGetsItWhereKvmWorks() throws IOException {
        VmCapabilities found = probe(WORKS, "intel", AcceleratorChoice.TCG).capabilities();

        assertThat(found.accelerator()).isEqualTo(Accelerator.TCG);
        assertThat(found.cpu()).isEqualTo("max,-erms,-fsrm");
        assertThat(found.acceleratorReason()).contains("CLOCHE_ACCELERATOR says so");
        assertThat(probe(WORKS, "intel", AcceleratorChoice.AUTO).accelerator())
                .as("remembered for each choice")
                .isEqualTo(Accelerator.KVM);
    }

    @Test
    void whoInsistsOnKvmGetsItWhereItDoesNotWork() throws IOException {
        VmCapabilities found =
                probe("echo no; exit 1", "amd", AcceleratorChoice.KVM).capabilities();

        assertThat(found.accelerator()).isEqualTo(Accelerator.KVM);
        assertThat(found.proven()).isFalse();
        assertThat(found.cpu()).contains("arch-capabilities=off");
        assertThat(found.acceleratorReason())
                .contains("insists on it, although")
                .contains("QEMU ended with 1 (no)");
    }

    @Test
    void whoInsistsOnKvmWhereThereIsNoneIsToldSo() throws IOException {
        Files.delete(kvm);
        assertThatThrownBy(() -> probe(WORKS, "intel", AcceleratorChoice.KVM))
                .isInstanceOf(VmException.MissingResource.class)
                .hasMessageContaining("CLOCHE_ACCELERATOR wants KVM, but there is no " + kvm);
        assertThat(probe(WORKS, "intel", AcceleratorChoice.AUTO).accelerator()).isEqualTo(Accelerator.TCG);
    }

    @Test
    void onlyThreeWordsNameAChoice() {
        assertThat(AcceleratorChoice.of(Map.of())).isEqualTo(AcceleratorChoice.AUTO);
        assertThat(AcceleratorChoice.of(Map.of("CLOCHE_ACCELERATOR", "auto"))).isEqualTo(AcceleratorChoice.AUTO);
        assertThat(AcceleratorChoice.of(Map.of("CLOCHE_ACCELERATOR", "kvm"))).isEqualTo(AcceleratorChoice.KVM);
        assertThat(AcceleratorChoice.of(Map.of("CLOCHE_ACCELERATOR", "tcg"))).isEqualTo(AcceleratorChoice.TCG);
        assertThatThrownBy(() -> AcceleratorChoice.of(Map.of("CLOCHE_ACCELERATOR", "KVM")))
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.remedy()).contains("auto, kvm or tcg"));
    }

    @Test
    void twoQemusInTurnAreAskedOnceEach() throws IOException {
        Path intel = description("intel");
        for (int i = 0; i < 3; i++) {
            assertThat(probe("qemu", WORKS, intel, AcceleratorChoice.AUTO, NOW).accelerator())
                    .isEqualTo(Accelerator.KVM);
            assertThat(probe("other-qemu", "exit 1", intel, AcceleratorChoice.AUTO, NOW)
                            .accelerator())
                    .isEqualTo(Accelerator.TCG);
        }
        assertThat(calls())
                .as("one of the first; two models and emulation of the other")
                .hasSize(1 + 2 + 1);
    }

    @Test
    void damagedMemoryIsNone() throws IOException {
        HostCapabilities found = probe(WORKS, "intel", AcceleratorChoice.AUTO);
        try (Stream<Path> remembered = Files.list(directory.resolve("accelerators"))) {
            Files.writeString(remembered.findFirst().orElseThrow(), "{\"format\":3,\"key\":");
        }
        assertThat(probe(WORKS, "intel", AcceleratorChoice.AUTO)).isEqualTo(found);
        assertThat(calls()).hasSize(2);
    }

    private HostCapabilities probe(String kvmBehaviour, String cpu, AcceleratorChoice choice) throws IOException {
        return probe(kvmBehaviour, description(cpu), choice, NOW);
    }

    private HostCapabilities probe(String kvmBehaviour, Path cpu, AcceleratorChoice choice, Instant now)
            throws IOException {
        return probe("qemu", kvmBehaviour, cpu, choice, now);
    }

    private HostCapabilities probe(String name, String kvmBehaviour, Path cpu, AcceleratorChoice choice, Instant now)
            throws IOException {
        Path qemu = directory.resolve(name);
        if (!Files.exists(qemu)) {
            Files.writeString(qemu, """
                    #!/bin/sh
                    here=$(dirname "$0")
                    case "$*" in
                    --version) echo 'QEMU emulator version 7.2.22 (Debian)'; exit 0 ;;
                    *'-accel tcg'*) echo "$@" >> "$here/calls"; exit 33 ;;
                    esac
                    echo "$@" >> "$here/calls"
                    . "$here/behaviour"
                    """);
            assertThat(qemu.toFile().setExecutable(true)).isTrue();
        }
        Files.writeString(directory.resolve("behaviour"), kvmBehaviour);
        return new HostProbe(
                        qemu,
                        Path.of("/bin/false"),
                        new HostProbe.Surroundings(choice, kvm, cpu, Clock.fixed(now, ZoneOffset.UTC)),
                        new ProbeCache(directory.resolve("accelerators")),
                        directory)
                .facts();
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(directory.resolve("calls"));
    }

    private static Path description(String cpu) {
        return Path.of("src/test/resources/dev/cloche/qemu/cpuinfo", cpu);
    }
}
