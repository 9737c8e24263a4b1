package dev.cloche;

import dev.cloche.base.Incubating;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.MachineResources;
import dev.cloche.machine.MachineRestartPolicy;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.Network;
import dev.cloche.vm.WritableLayer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What is to be changed of a machine; all else stays. Not safe for use from several threads.
 *
 * <pre>{@code
 * cloche.machines().change("dev", new MachineChange().memoryMib(8192).diskGib(100));
 * }</pre>
 */
public final class MachineChange {
    private final List<UnaryOperator<PersistedMachine>> parts = new ArrayList<>();

    /** Begins with no change. */
    public MachineChange() {}

    /** Sets its virtual processors: 1 to 64. */
    public MachineChange cpus(int count) {
        return resources(resources -> resources.withCpus(count));
    }

    /** Sets its memory in MiB: 128 to 1,048,576. */
    public MachineChange memoryMib(int mebibytes) {
        return resources(resources -> resources.withMemoryMb(mebibytes));
    }

    /** Sets the size of its disk in GiB, not less than it has. */
    public MachineChange diskGib(int gibibytes) {
        return resources(resources -> resources.withDiskGb(gibibytes));
    }

    /**
     * Changes what its guest may ask of its disk; at once where it runs.
     *
     * <pre>{@code
     * cloche.machines().change("dev", new MachineChange().diskLimits(now -> now.withBytesPerSecond(20 << 20)));
     * }</pre>
     */
    @Incubating
    public MachineChange diskLimits(UnaryOperator<WritableLayer.Throttle> change) {
        return settings(settings -> settings.withDiskThrottle(change.apply(settings.diskThrottle())));
    }

    /** Sets a variable of every command in it; removes it if the value is empty. */
    public MachineChange environment(String name, String value) {
        return settings(settings -> settings.withEnv(changed(settings.env(), name, value)));
    }

    /** Sets a free-form fact; removes it if the value is empty. */
    public MachineChange label(String name, String value) {
        return settings(settings -> settings.withLabels(changed(settings.labels(), name, value)));
    }

    /** Sets whether it is started with the session of its user. */
    public MachineChange autostart(boolean value) {
        return settings(settings -> settings.withAutostart(value));
    }

    /** Says whether it is started again after an end without a request. */
    public MachineChange restart(MachineRestartPolicy policy) {
        return settings(settings -> settings.withRestartPolicy(policy));
    }

    /** Sets its process 1, as {@link MachineBuilder#init} does. */
    public MachineChange init(MachineInit program) {
        return settings(settings -> settings.withInit(program));
    }

    /** Sets its network, as in {@link MachineBuilder#network}. */
    public MachineChange network(Network value) {
        return settings(settings -> settings.withNetwork(value));
    }

    /**
     * Sets the ports that it publishes from now on, in place of those that it has published; as in {@link
     * MachineBuilder#publish}.
     */
    public MachineChange publish(List<String> ports) {
        List<String> all = List.copyOf(ports);
        return settings(settings -> settings.withPublish(all));
    }

    PersistedMachine apply(PersistedMachine machine) {
        PersistedMachine changed = machine;
        for (UnaryOperator<PersistedMachine> part : parts) {
            changed = part.apply(changed);
        }
        return changed;
    }

    private MachineChange resources(UnaryOperator<MachineResources> part) {
        parts.add(machine -> machine.withResources(part.apply(machine.resources())));
        return this;
    }

    private MachineChange settings(UnaryOperator<MachineSettings> part) {
        parts.add(machine -> machine.withSettings(part.apply(machine.settings())));
        return this;
    }

    private static Map<String, String> changed(Map<String, String> map, String name, String value) {
        TreeMap<String, String> copy = new TreeMap<>(map);
        if (value.isEmpty()) {
            copy.remove(name);
        } else {
            copy.put(name, value);
        }
        return copy;
    }
}
