package dev.cloche.machine;

import dev.cloche.machine.config.MachineStore;
import dev.cloche.machine.config.StagingDirectory;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.Network;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** MachineManager for tests. */
final class SampleMachines {
    static final MachineName WEB = new MachineName("web");
    static final Instant CREATED = Instant.parse("2026-01-02T03:04:05.678Z");

    private SampleMachines() {}

    /** Writes a machine: a new one as they are made, or over the one that is there. */
    static void save(MachineStore store, PersistedMachine machine) {
        if (Files.exists(store.directory(machine.name()).resolve("config.toml"), LinkOption.NOFOLLOW_LINKS)) {
            var _ = store.update(machine.name(), _ -> machine);
        } else {
            create(store, machine);
        }
    }

    static void create(MachineStore store, PersistedMachine machine) {
        try (StagingDirectory staging = StagingDirectory.create(store)) {
            store.publish(staging, machine);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static PersistedMachine plain(String name) {
        return PersistedMachine.of(new MachineName(name), new VmId("vm-" + name), CREATED)
                .withOrigin(MachineOrigin.of("debian"));
    }

    /** A value other than the default in every part. */
    static PersistedMachine full() {
        return new PersistedMachine(
                WEB,
                new VmId("0123456789abcdef"),
                CREATED,
                new MachineResources(3, 777, 5),
                new MachineOrigin(
                        Optional.of("debian:12"), Optional.of("sha256:00"), Optional.of("debian"), Optional.of("12")),
                new MachineSettings(
                        MachineInit.SYSTEMD,
                        Network.USER,
                        List.of("8080:80", "127.0.0.1:53:53/udp"),
                        Map.of("A", "1", "B C", "two\nlines \"quoted\" \\ \t"),
                        Map.of("team", "x", "", "empty key"),
                        true,
                        MachineRestartPolicy.ON_FAILURE,
                        Optional.of(Isolation.SEALED),
                        WritableLayer.Throttle.none().withIops(300).withBytesPerSecond(3L << 30),
                        Optional.of("provision.sh")),
                new UnsupportedKeys(
                        Optional.of("/k"),
                        Optional.of("quiet"),
                        List.of(new BlockDevice("/a", true), new BlockDevice("/b", false)),
                        Optional.of("/d"),
                        Optional.of("/s")),
                new MachineStatus(
                        DiskState.SUSPENDED,
                        Optional.of("10.0.0.2"),
                        Optional.of(CREATED.plusSeconds(1)),
                        Optional.of(CREATED.plusSeconds(2)),
                        Optional.of("it fell over"),
                        Optional.of("it was shut down")));
    }
}
