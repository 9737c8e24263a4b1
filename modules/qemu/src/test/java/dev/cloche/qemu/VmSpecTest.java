package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.guard.StoredSpec;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestNetwork;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vm.WritableLayer.Throttle;
import dev.cloche.vmm.protocol.HostFrames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may be asked of VMs and their guests, and that it stays what it was. */
class VmSpecTest {
    @TempDir
    Path directory;

    @Test
    void specsOutsideOfTheirRangesAreRefused() {
        VmSpec spec = VmSpec.of(VmId.random(), RootDisk.raw(Path.of("/disk")));
        List<Runnable> wrong = List.of(
                () -> spec.withMemoryMiB(63),
                () -> spec.withCpus(0),
                () -> spec.withMaxDuration(Duration.ZERO),
                () -> spec.withThrottle(Throttle.none().withIops(10)),
                () -> Throttle.none().withIops(9),
                () -> Throttle.none().withIops(1_000_001),
                () -> Throttle.none().withBytesPerSecond((64 << 10) - 1),
                () -> Throttle.none().withBytesPerSecond((1L << 40) + 1),
                () -> OwnerGrace.of(Duration.ofDays(-1), spec),
                () -> RootDisk.raw(Path.of("relative")),
                () -> new VmId("../up"),
                () -> new VmId("x".repeat(41)),
                () -> ExecRequest.of("nul\0"),
                () -> ExecRequest.of("true").withWorkingDirectory("relative", false),
                () -> ExecRequest.of("true").withEnvironment(Map.of("A=B", "")),
                () -> ExecRequest.of("x".repeat(1 << 20)),
                () -> ExecRequest.of("true").withWindow(4095),
                () -> ExecRequest.of("true").asMain().acknowledged(),
                () -> ExecRequest.of("true").withLimits(List.of(files(1, 1), files(2, 2))),
                () -> files(2, 1),
                () -> files(ResourceLimit.UNLIMITED, 1),
                () -> new TerminalSize(0, 80),
                () -> new AttachPoint(0, -1),
                () -> GuestIdentity.UNCHANGED.withHostname("-"),
                () -> GuestIdentity.UNCHANGED.withEnvironment(Map.of("A=B", "")),
                () -> GuestIdentity.UNCHANGED.withSecrets(Map.of(".hidden", new byte[1])),
                () -> GuestIdentity.UNCHANGED.withSecrets(Map.of("a/b", new byte[1])),
                () -> GuestIdentity.UNCHANGED.withSecrets(Map.of("large", new byte[65_537])),
                () -> GuestIdentity.UNCHANGED.withSecrets(seventeenLargeOnes()),
                () -> network("10.0.2.15", "10.0.2.2"),
                () -> network("10.0.2.15/33", "10.0.2.2"),
                () -> network("10.2/8", "10.0.2.2"),
                () -> network("10.0.2.15/24", "gateway.example"),
                () -> network("fe80::1%eth0/64", "fe80::2"));
        for (Runnable one : wrong) {
            assertThatThrownBy(one::run).isInstanceOf(VmException.Invalid.class);
        }
    }

    private static ResourceLimit files(long soft, long hard) {
        return new ResourceLimit(ResourceLimit.Resource.NOFILE, soft, hard);
    }

    private static GuestNetwork network(String address, String gateway) {
        return new GuestNetwork(OptionalInt.empty(), Optional.empty(), List.of(address), List.of(gateway), List.of());
    }

    private static Map<String, byte[]> seventeenLargeOnes() {
        Map<String, byte[]> secrets = new HashMap<>();
        for (int i = 0; i < 17; i++) {
            secrets.put("secret-" + i, new byte[65_536]);
        }
        return secrets;
    }

    @Test
    void aSpecComesBackFromItsFileAsItWas() throws IOException {
        RootDisk root = RootDisk.vmdk(Path.of("/a \"disk\"")).withContents("sha256:1");
        SnapshotRef snapshot = new SnapshotRef(
                new SnapshotName("s"),
                SnapshotRef.Kind.MAPPED,
                Instant.ofEpochMilli(1),
                512,
                2,
                root,
                WritableLayer.disk(64),
                true,
                true);
        VmId id = new VmId("a");
        for (VmSpec spec : List.of(
                VmSpec.of(id, RootDisk.raw(Path.of("/b"))).withAttached(false).withMaxDuration(Duration.ofDays(2)),
                OwnerGrace.of(Duration.ofMillis(3), VmSpec.of(id, root).asTemplateMaker()),
                VmSpec.of(id, root)
                        .withNetwork(new NetworkSpec.User(
                                PublishedPort.parse("0.0.0.0:8000-8001:80-81/udp"), Optional.of("9.9.9.9"))),
                VmSpec.of(id, root)
                        .withWritable(WritableLayer.disk(64))
                        .withThrottle(Throttle.none().withIops(10)),
                VmSpec.restored(id, snapshot)
                        .withThrottle(Throttle.none().withIops(1_000_000).withBytesPerSecond(1L << 40)),
                VmSpec.restored(id, snapshot).withOutputLogBytes(1 << 20))) {
            StoredSpec.write(directory, spec);
            assertThat(StoredSpec.read(directory, id)).isEqualTo(spec);
        }
        assertThat(Files.getPosixFilePermissions(directory.resolve("spec.json")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        Files.writeString(directory.resolve("spec.json"), "{\"version\":2}");
        assertThatThrownBy(() -> StoredSpec.read(directory, id))
                .isInstanceOf(VmException.Storage.class)
                .hasMessageContaining("version");
        Files.write(directory.resolve("spec.json"), new byte[300_000]);
        assertThatThrownBy(() -> StoredSpec.read(directory, id)).isInstanceOf(VmException.Storage.class);
    }

    @Test
    void theLargestRequestFitsIntoOneMessage() {
        ExecRequest largest = ExecRequest.of("x".repeat((1 << 20) - 200));
        assertThat(HostFrames.exec(1, largest, 1).remaining()).isGreaterThan(1 << 20);
    }
}
