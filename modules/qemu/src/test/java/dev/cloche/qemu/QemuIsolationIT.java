package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.guard.GuardBinary;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmIsolation;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The walls around a real QEMU, as the host's kernel sees them. What they hold, guard/test/attack.c tries. */
class QemuIsolationIT extends QemuTest {
    private static final long WRITABLE = 3;

    private Path qemu(Vm vm) {
        return Path.of("/proc", String.valueOf(GuardedQemu.of(provider, vm.id()).pid()));
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
            // Each has a group of its own, where there are any.
            assertThat(walls(vm))
                    .usingRecursiveComparison()
                    .ignoringFields("group")
                    .isEqualTo(said);
            assertThat(walls(vm).group().flatMap(VmIsolation.Group::path).isPresent())
                    .isEqualTo(said.group().flatMap(VmIsolation.Group::path).isPresent());
            String status = Files.readString(qemu(vm).resolve("status"));
            assertThat(status)
                    .containsPattern("CapPrm:\\s+0+\n")
                    .containsPattern("CapEff:\\s+0+\n")
                    .containsPattern("NoNewPrivs:\\s+1\n")
                    .containsPattern("Seccomp:\\s+2\n");
        }
    }

    @Test
    void rootsVmsAreUsersOfTheirOwn() throws IOException {
        Assumptions.assumeTrue(
                Files.readString(Path.of("/proc/self/status")).contains("\nUid:\t0\t0\t"), "needs to be root");
        try (Vm one = started(spec());
                Vm other = started(spec())) {
            Assumptions.assumeTrue(
                    walls(one).level() == VmIsolation.Level.FULL
                            && walls(one).missing().isEmpty(),
                    walls(one).missing());
            assertThat(users(one)).hasSize(1).doesNotContain("0").doesNotContainAnyElementsOf(users(other));
        }
    }

    /** Returns the ids of QEMU's user and group: real, effective, saved, of files. */
    private Set<String> users(Vm vm) throws IOException {
        try (Stream<String> lines = Files.lines(qemu(vm).resolve("status"))) {
            return lines.filter(line -> line.startsWith("Uid:") || line.startsWith("Gid:"))
                    .flatMap(line -> Stream.of(line.split("\t")).skip(1))
                    .collect(Collectors.toSet());
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

    /** QEMU itself is asked to: what its own code opens, writes and maps has its rights. */
    @Test
    void aCloneCannotWriteItsTemplatesMemory() throws IOException {
        SnapshotRef template;
        try (Vm maker = started(spec().asTemplateMaker())) {
            template = snapshot(maker, "template");
            maker.destroy();
        }
        Path memory = fixture.stateRoot().resolve("snapshots/template/memory");
        String before = digest(memory);
        try (Vm vm = clone(template)) {
            Assumptions.assumeTrue(
                    walls(vm).level().compareTo(VmIsolation.Level.SEALED) >= 0,
                    walls(vm).missing());
            QemuMonitor monitor = new QemuMonitor(fixture.layout(), vm.id());
            monitor.converse(soon(), qemu -> {
                var _ = qemu.execute(new QmpCommand(
                        "blockdev-add",
                        Map.of(
                                "driver", "raw",
                                "node-name", "stolen",
                                "file", Map.of("driver", "file", "filename", memory.toString(), "locking", "off"))));
                // Its answer is text for people, and an error of the write is in it.
                var _ = qemu.execute(new QmpCommand(
                        "human-monitor-command", Map.of("command-line", "qemu-io stolen \"write -P 88 0 64k\"")));
                assertThatThrownBy(() -> qemu.execute(new QmpCommand(
                                "object-add",
                                Map.of(
                                        "qom-type",
                                        "memory-backend-file",
                                        "id",
                                        "mapped",
                                        "mem-path",
                                        memory.toString(),
                                        "size",
                                        Files.size(memory),
                                        "share",
                                        true))))
                        .isInstanceOf(VmException.Monitor.class);
                return true;
            });
            assertThat(digest(memory)).isEqualTo(before);
            assertThat(shell(vm, "echo it lives")).isEqualTo("it lives\n");
        }
    }

    private static String digest(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] piece = new byte[1 << 16];
            for (int length = in.read(piece); length > 0; length = in.read(piece)) {
                digest.update(piece, 0, length);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Each answer of the guard is two changes of process at the start; most would be about libraries. */
    @Test
    void aStartAsksItsGuardAtMost120Times() throws IOException, InterruptedException {
        VmResources counting = new VmResources(
                resources.qemu(), GuardBinary.compileCounting(), resources.clockMeter(), resources.kernel());
        try (QemuProvider counted = new QemuProvider(fixture.layout(), counting);
                Vm vm = counted.create(spec())) {
            vm.start(soon());
            Assumptions.assumeTrue(
                    walls(vm).level() == VmIsolation.Level.FULL, walls(vm).missing());
            Path asked = fixture.layout().directory(vm.id()).resolve("asked");
            assertThat(Files.readAllLines(asked)).hasSizeBetween(1, 120);
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
