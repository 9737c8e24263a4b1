package dev.cloche.machine;

import dev.cloche.base.Printable;
import dev.cloche.machine.config.MachineDirectories;
import dev.cloche.machine.config.SortedMaps;
import dev.cloche.machine.lifecycle.MachineDisks;
import dev.cloche.machine.lifecycle.MachineSnapshots;
import dev.cloche.machine.lifecycle.Provisioning;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.Network;
import dev.cloche.vm.WritableLayer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Says how a machine runs.
 *
 * @param init which program is its process 1
 * @param network what its guest reaches
 * @param publish ports of the host that lead into it, {@code [ADDRESS:]HOST:GUEST[/tcp|udp]} each
 * @param env variables of every command in it; names are not empty and have no '='
 * @param labels free-form facts
 * @param autostart whether it is started with the session of its user
 * @param isolation the least of walls around what runs it; empty for what this host's settings say
 * @param diskThrottle what its guest may ask of its disk; changed at once where it runs
 * @param provision file beside config.toml with the script that runs once, at its first start
 */
public record MachineSettings(
        MachineInit init,
        Network network,
        List<String> publish,
        Map<String, String> env,
        Map<String, String> labels,
        boolean autostart,
        MachineRestartPolicy restartPolicy,
        Optional<Isolation> isolation,
        WritableLayer.Throttle diskThrottle,
        Optional<String> provision) {
    private static final Set<String> OUR_FILES =
            Set.of(MachineDirectories.CONFIG, MachineDisks.DIRECTORY, MachineSnapshots.DIRECTORY, Provisioning.LOG);
    public static final MachineSettings DEFAULTS = new MachineSettings(
            MachineInit.AGENT,
            Network.NONE,
            List.of(),
            Map.of(),
            Map.of(),
            false,
            MachineRestartPolicy.NO,
            Optional.empty(),
            WritableLayer.Throttle.none(),
            Optional.empty());

    /** @throws MachineException.Invalid if a variable's name or value cannot be one */
    public MachineSettings {
        publish = List.copyOf(publish);
        env = SortedMaps.copyOf(env);
        labels = SortedMaps.copyOf(labels);
        env.forEach((name, value) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0 || (name + value).indexOf('\0') >= 0) {
                throw new MachineException.Invalid(
                        "\"" + Printable.brief(name) + "\" is no variable of an environment.",
                        "Names are not empty and have no '='; neither names nor values have a NUL.");
            }
        });
        provision.ifPresent(MachineSettings::checkFile);
    }

    private static void checkFile(String name) {
        if (name.isEmpty() || name.startsWith(".") || name.indexOf('/') >= 0 || name.indexOf('\0') >= 0) {
            throw new MachineException.Invalid(
                    "\"" + Printable.brief(name) + "\" is no name of a provisioning script.",
                    "Name a file beside config.toml, without a slash and without a leading dot.");
        }
        // It would be written over with the script, or deleted when another script takes its place.
        if (OUR_FILES.contains(name)) {
            throw new MachineException.Invalid(
                    "\"" + name + "\" is no name of a provisioning script.",
                    "Name another file beside config.toml, for this one is Cloche's own.");
        }
    }

    public MachineSettings withInit(MachineInit value) {
        return new MachineSettings(
                value, network, publish, env, labels, autostart, restartPolicy, isolation, diskThrottle, provision);
    }

    public MachineSettings withNetwork(Network value) {
        return new MachineSettings(
                init, value, publish, env, labels, autostart, restartPolicy, isolation, diskThrottle, provision);
    }

    public MachineSettings withPublish(List<String> value) {
        return new MachineSettings(
                init, network, value, env, labels, autostart, restartPolicy, isolation, diskThrottle, provision);
    }

    public MachineSettings withEnv(Map<String, String> value) {
        return new MachineSettings(
                init, network, publish, value, labels, autostart, restartPolicy, isolation, diskThrottle, provision);
    }

    public MachineSettings withLabels(Map<String, String> value) {
        return new MachineSettings(
                init, network, publish, env, value, autostart, restartPolicy, isolation, diskThrottle, provision);
    }

    public MachineSettings withAutostart(boolean value) {
        return new MachineSettings(
                init, network, publish, env, labels, value, restartPolicy, isolation, diskThrottle, provision);
    }

    public MachineSettings withRestartPolicy(MachineRestartPolicy value) {
        return new MachineSettings(
                init, network, publish, env, labels, autostart, value, isolation, diskThrottle, provision);
    }

    public MachineSettings withIsolation(Isolation least) {
        return new MachineSettings(
                init,
                network,
                publish,
                env,
                labels,
                autostart,
                restartPolicy,
                Optional.of(least),
                diskThrottle,
                provision);
    }

    public MachineSettings withDiskThrottle(WritableLayer.Throttle value) {
        return new MachineSettings(
                init, network, publish, env, labels, autostart, restartPolicy, isolation, value, provision);
    }

    public MachineSettings withProvision(Optional<String> value) {
        return new MachineSettings(
                init, network, publish, env, labels, autostart, restartPolicy, isolation, diskThrottle, value);
    }
}
