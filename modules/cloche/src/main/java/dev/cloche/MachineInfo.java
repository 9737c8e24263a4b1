package dev.cloche;

import dev.cloche.machine.CurrentMachine;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.MachineRestartPolicy;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.MachineState;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.Network;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the file of a machine says, held against what really runs.
 *
 * @param needsRecovery whether its file says that it runs, and nothing of it does; see {@link Machines#recover}
 * @param image the reference that it was made from; files of other programs have none
 * @param diskGib what its guest sees of its disk
 * @param network what its guest reaches
 * @param publish ports of the host that lead into it
 * @param init who is its process 1
 * @param restartPolicy whether it is started again after an end without a request
 * @param isolation the least walls around its QEMU that its file asks for; empty if this host's settings decide
 * @param diskThrottle what its guest may ask of its disk
 * @param startedAt when it became usable; empty while it does not run
 * @param ipAddress of its guest, while that has one
 * @param lastError why it failed last
 * @param lastEnd how it came to rest last, if it was stopped or has powered off: also whether programs had to be killed
 * @param ports that it has got while it runs: those of {@code publish}, with the port of the host where that could be any
 * @param directory with its configuration and its disk
 * @param vmId the name of its VM, the same at every start
 * @param imageDigest what {@code image} meant when it was made, to which its disk belongs
 * @param distro a note on its distribution, and its release
 * @param provision the script beside its configuration that runs once, at its first start
 * @param unsupported what its file asks for and Cloche cannot do: while there is any of it, it is not started
 * @param hindrance why it does not work at present although it runs
 */
public record MachineInfo(
        String name,
        MachineState state,
        boolean needsRecovery,
        Optional<String> image,
        int cpus,
        int memoryMib,
        int diskGib,
        Network network,
        List<String> publish,
        MachineInit init,
        Map<String, String> environment,
        Map<String, String> labels,
        boolean autostart,
        MachineRestartPolicy restartPolicy,
        Optional<Isolation> isolation,
        WritableLayer.Throttle diskThrottle,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> provisionedAt,
        Optional<String> ipAddress,
        Optional<String> lastError,
        Optional<String> lastEnd,
        List<PublishedPort> ports,
        Path directory,
        VmId vmId,
        Optional<String> imageDigest,
        Optional<String> distro,
        Optional<String> provision,
        List<String> unsupported,
        Optional<VmHindrance> hindrance) {
    static MachineInfo of(CurrentMachine info, MachineManager room) {
        PersistedMachine machine = info.machine();
        MachineSettings settings = machine.settings();
        MachineOrigin origin = machine.origin();
        return new MachineInfo(
                machine.name().value(),
                info.state(),
                info.needsRecovery(),
                origin.image(),
                machine.resources().cpus(),
                machine.resources().memoryMb(),
                machine.resources().diskGb(),
                settings.network(),
                settings.publish(),
                settings.init(),
                settings.env(),
                settings.labels(),
                settings.autostart(),
                settings.restartPolicy(),
                settings.isolation(),
                settings.diskThrottle(),
                machine.createdAt(),
                machine.status().startedAt(),
                machine.status().provisionedAt(),
                machine.status().ipAddress(),
                machine.status().lastError(),
                machine.status().lastEnd(),
                room.publishedPorts(machine),
                room.directory(machine.name()),
                machine.vmId(),
                origin.imageDigest(),
                origin.distro()
                        .map(name -> origin.distroVersion()
                                .map(version -> name + " " + version)
                                .orElse(name)),
                settings.provision(),
                machine.foreign().keys(),
                room.hindrance(machine));
    }
}
