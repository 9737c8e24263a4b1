package dev.cloche;

import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.PersistedMachine;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the file of a machine says, held against what really runs.
 *
 * @param state one of {@code created, starting, running, stopping, stopped, suspended, failed}
 * @param needsRecovery whether its file says that it runs, and nothing of it does; see {@link Machines#recover}
 * @param image the reference that it was made from; files of other programs have none
 * @param diskGib what its guest sees of its disk
 * @param network {@code none}, or what it was given
 * @param publish ports of the host that lead into it
 * @param init who is its process 1
 * @param restartPolicy {@code no}, {@code on-failure} or {@code always}
 * @param startedAt when it became usable; empty while it does not run
 * @param ipAddress of its guest, while that has one
 * @param lastError why it failed last
 * @param lastEnd how it came to rest last, if it was stopped or has powered off: also whether programs had to be killed
 * @param ports that it has got while it runs: those of {@code publish}, with the port of the host where that could be any
 * @param directory with its configuration and its disk
 */
public record MachineInfo(
        String name,
        String state,
        boolean needsRecovery,
        Optional<String> image,
        int cpus,
        int memoryMib,
        int diskGib,
        String network,
        List<String> publish,
        String init,
        Map<String, String> environment,
        Map<String, String> labels,
        boolean autostart,
        String restartPolicy,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> provisionedAt,
        Optional<String> ipAddress,
        Optional<String> lastError,
        Optional<String> lastEnd,
        List<PublishedPort> ports,
        Path directory) {
    static MachineInfo of(dev.cloche.machine.MachineInfo info, dev.cloche.machine.Machines room) {
        PersistedMachine machine = info.machine();
        MachineSettings settings = machine.settings();
        return new MachineInfo(
                machine.name().value(),
                info.state().word(),
                info.needsRecovery(),
                machine.origin().image(),
                machine.resources().cpus(),
                machine.resources().memoryMb(),
                machine.resources().diskGb(),
                settings.network(),
                settings.publish(),
                settings.init().value(),
                settings.env(),
                settings.labels(),
                settings.autostart(),
                settings.restartPolicy().word(),
                machine.createdAt(),
                machine.status().startedAt(),
                machine.status().provisionedAt(),
                machine.status().ipAddress(),
                machine.status().lastError(),
                machine.status().lastEnd(),
                PublishedPort.of(room.publishedPorts(machine)),
                room.store().directory(machine.name()));
    }
}
