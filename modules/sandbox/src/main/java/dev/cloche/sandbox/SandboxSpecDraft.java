package dev.cloche.sandbox;

import dev.cloche.image.PullPolicy;
import dev.cloche.vm.NetworkSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Holds a {@link SandboxSpec} that is about to differ from another one. For one thread. */
final class SandboxSpecDraft {
    private final String image;
    Optional<String> name;
    List<String> command;
    PullPolicy pullPolicy;
    int memoryMib;
    int cpus;
    boolean ephemeral;
    OptionalInt diskMib;
    SandboxPolicies policies;
    Map<String, String> labels;
    NetworkSpec network;
    Secrets secrets;
    Optional<StopSignal> stopSignal;
    boolean wholeCommand;
    CommandOptions defaults;
    boolean stays;

    SandboxSpecDraft(SandboxSpec from) {
        name = from.name();
        image = from.image();
        command = from.command();
        pullPolicy = from.pullPolicy();
        memoryMib = from.memoryMib();
        cpus = from.cpus();
        ephemeral = from.ephemeral();
        diskMib = from.diskMib();
        policies = from.policies();
        labels = from.labels();
        network = from.network();
        secrets = from.secrets();
        stopSignal = from.stopSignal();
        wholeCommand = from.wholeCommand();
        defaults = from.defaults();
        stays = from.stays();
    }

    SandboxSpec spec() {
        return new SandboxSpec(
                name,
                image,
                command,
                pullPolicy,
                memoryMib,
                cpus,
                ephemeral,
                diskMib,
                policies,
                labels,
                network,
                secrets,
                stopSignal,
                wholeCommand,
                defaults,
                stays);
    }
}
