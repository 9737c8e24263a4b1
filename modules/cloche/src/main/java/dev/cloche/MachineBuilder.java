package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.image.PullListener;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineResources;
import dev.cloche.machine.MachineRestartPolicy;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.NewMachine;
import dev.cloche.vm.Network;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A machine that is about to be made. Not safe for use from several threads.
 *
 * <pre>{@code
 * cloche.machines().create("dev", "debian").cpus(4).memoryMib(4096).diskGib(50).label("team", "x").make();
 * }</pre>
 */
public final class MachineBuilder {
    private final MachineManager room;
    private final Map<String, String> environment = new TreeMap<>();
    private final Map<String, String> labels = new TreeMap<>();
    private final List<String> publish = new ArrayList<>();
    private NewMachine wanted;
    private PullListener progress = PullListener.none();

    MachineBuilder(MachineManager room, String name, String image) {
        this.room = room;
        wanted = NewMachine.of(new MachineName(name), image);
    }

    /** Sets its virtual processors: 1 to 64, by default 2. */
    public MachineBuilder cpus(int count) {
        return resources(wanted.resources().withCpus(count));
    }

    /** Sets its memory in MiB: 128 to 1,048,576, by default 2,048. */
    public MachineBuilder memoryMib(int mebibytes) {
        return resources(wanted.resources().withMemoryMb(mebibytes));
    }

    /** Sets the size of its disk in GiB: 1 to 16,384, by default 20. It takes of the host what is written to it. */
    public MachineBuilder diskGib(int gibibytes) {
        return resources(wanted.resources().withDiskGb(gibibytes));
    }

    /**
     * Limits what its guest may ask of its disk.
     *
     * <pre>{@code
     * cloche.machines().create("dev", "debian").diskLimits(WritableLayer.Throttle.none().withIops(500)).make();
     * }</pre>
     */
    @Incubating
    public MachineBuilder diskLimits(WritableLayer.Throttle limits) {
        return settings(wanted.settings().withDiskThrottle(limits));
    }

    /** Adds a variable of every command in it. */
    public MachineBuilder environment(String name, String value) {
        environment.put(name, value);
        return settings(wanted.settings().withEnv(environment));
    }

    /** Adds a free-form fact. */
    public MachineBuilder label(String name, String value) {
        labels.put(name, value);
        return settings(wanted.settings().withLabels(labels));
    }

    /** Sets whether it is started with the session of its user. */
    public MachineBuilder autostart(boolean value) {
        return settings(wanted.settings().withAutostart(value));
    }

    /** Says whether it is started again after an end without a request. */
    public MachineBuilder restart(MachineRestartPolicy policy) {
        return settings(wanted.settings().withRestartPolicy(policy));
    }

    /** Sets its process 1, for example {@link MachineInit#SYSTEMD}. */
    public MachineBuilder init(MachineInit program) {
        return settings(wanted.settings().withInit(program));
    }

    /** Sets its network; by default none. */
    public MachineBuilder network(Network value) {
        return settings(wanted.settings().withNetwork(value));
    }

    /**
     * Publishes a TCP port of the machine on 127.0.0.1: at any free port of this host, perhaps another one at each start. While it
     * runs, {@link Machine#ports} tells which.
     *
     * @param guestPort 1 to 65,535, in the guest
     */
    public MachineBuilder publish(int guestPort) {
        return publish("0:" + guestPort);
    }

    /** Publishes a port, or a range, of the machine on this host while it runs, as {@link SandboxBuilder#publish(String)} does. */
    public MachineBuilder publish(String port) {
        publish.add(port);
        return settings(wanted.settings().withPublish(publish));
    }

    /** Sets a script of this host that runs once in it, at its first start. */
    public MachineBuilder provision(Path script) {
        wanted = wanted.withProvision(script);
        return this;
    }

    /** Sets who is told how far a pull is. */
    public MachineBuilder progress(PullListener listener) {
        progress = listener;
        return this;
    }

    /**
     * Makes it; it does not run yet.
     *
     * @throws dev.cloche.base.ClocheException if the name is taken, a value is out of range or the image is not to be had;
     *     nothing is left behind
     */
    public MachineInfo make() {
        room.create(wanted, progress, Deadline.none());
        return MachineInfo.of(room.get(wanted.name()), room);
    }

    private MachineBuilder resources(MachineResources value) {
        wanted = wanted.withResources(value);
        return this;
    }

    private MachineBuilder settings(MachineSettings value) {
        wanted = wanted.withSettings(value);
        return this;
    }
}
