package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmIsolation;
import dev.cloche.vm.VmSpec;
import dev.cloche.vmm.FlatJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The walls around a real QEMU, as the host's kernel sees them. What they hold, guard/test/attack.c tries. */
class QemuIsolationIT extends QemuTest {
    private static final long WRITABLE = 3;

    private Path qemu(Vm vm) throws IOException {
        Path record = fixture.layout().directory(vm.id()).resolve("guard.json");
        Object guard = FlatJson.read(record).get("pid");
        Path children = Path.of("/proc", String.valueOf(guard), "task", String.valueOf(guard), "children");
        return Path.of("/proc", Files.readString(children).strip());
    }

    private VmIsolation walls(Vm vm) {
        return provider.isolation(vm.id()).orElseThrow();
    }

    private Vm started(VmSpec spec) {
        Vm vm = provider.create(spec);
        vm.start(soon());
        return vm;
    }

    @Test
    void aVmHasTheWallsThatThisHostIsSaidToHave() throws IOException {
        VmIsolation said = provider.hostIsolation();
        try (Vm vm = started(spec())) {
            assertThat(walls(vm)).isEqualTo(said);
            String status = Files.readString(qemu(vm).resolve("status"));
            assertThat(status)
                    .containsPattern("CapPrm:\\s+0+\n")
                    .containsPattern("CapEff:\\s+0+\n")
                    .containsPattern("NoNewPrivs:\\s+1\n")
                    .containsPattern("Seccomp:\\s+2\n");
        }
    }

    @Test
    void aRoomHasNothingOfTheHost() throws IOException {
        try (Vm vm = started(spec())) {
            Assumptions.assumeTrue(
                    walls(vm).level() == VmIsolation.Level.FULL, walls(vm).missing());
            Path qemu = qemu(vm);
            for (String kind : List.of("user", "mnt", "pid", "net", "ipc", "uts", "cgroup")) {
                assertThat(Files.readSymbolicLink(qemu.resolve("ns").resolve(kind)))
                        .as(kind)
                        .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns", kind)));
            }
            try (Stream<Path> root = Files.list(qemu.resolve("root"))) {
                assertThat(root.map(path -> path.getFileName().toString()))
                        .contains(resources.qemu().getFileName().toString())
                        .isSubsetOf(resources.qemu().getFileName().toString(), "lib64");
            }
        }
    }

    @Test
    void aCloneHasItsTemplatesMemoryToReadOnly() throws IOException {
        SnapshotRef template;
        try (Vm maker = started(spec().asTemplateMaker())) {
            template = snapshot(maker, "template");
            maker.destroy();
        }
        try (Vm vm = clone(template)) {
            Assumptions.assumeTrue(
                    walls(vm).level().compareTo(VmIsolation.Level.SEALED) >= 0,
                    walls(vm).missing());
            Path qemu = qemu(vm);
            Path memory = fixture.stateRoot().resolve("snapshots/template/memory");
            // The mapping stays where QEMU has closed the descriptor.
            assertThat(Files.readString(qemu.resolve("maps")))
                    .containsPattern("rw-p .* " + memory)
                    .doesNotContainPattern("rw-s .* " + memory);
            try (Stream<Path> open = Files.list(qemu.resolve("fd"))) {
                for (Path fd : open.toList()) {
                    if (Files.readSymbolicLink(fd).equals(memory)) {
                        assertThat(flags(qemu, fd) & WRITABLE).isZero();
                    }
                }
            }
        }
    }

    private static long flags(Path qemu, Path fd) throws IOException {
        return Files.readAllLines(qemu.resolve("fdinfo").resolve(fd.getFileName())).stream()
                .filter(line -> line.startsWith("flags:"))
                .mapToLong(
                        line -> Long.parseLong(line.substring("flags:".length()).strip(), 8))
                .findFirst()
                .orElseThrow();
    }
}
