package dev.cloche.sandbox;

import dev.cloche.image.ImageReference;
import dev.cloche.image.PullPolicy;
import dev.cloche.vm.NetworkSpec;
import java.time.Duration;
import java.util.Optional;

/**
 * What a start needs to know, of a sandbox that is new or was there before.
 *
 * @param imageName as it was asked for
 * @param known the sandbox's row, if it was there before
 * @param network with its ports as they were asked for
 * @param main what it runs
 */
record StartPlan(
        String name,
        String imageName,
        ImageReference image,
        PullPolicy pullPolicy,
        int memoryMib,
        int cpus,
        SandboxPolicies policies,
        NetworkSpec network,
        MainCommand main,
        Optional<SandboxRecord> known) {

    /** @throws dev.cloche.image.ImageException if the specification's image is not a reference */
    static StartPlan of(SandboxSpec spec, CommandOptions main) {
        return new StartPlan(
                spec.name().orElseGet(SandboxName::generated),
                spec.image(),
                ImageReference.parse(spec.image()),
                spec.pullPolicy(),
                spec.memoryMib(),
                spec.cpus(),
                spec.policies(),
                spec.network(),
                new MainCommand(spec.command(), main),
                Optional.empty());
    }

    /** A further start of a sandbox: with the image that it has, whatever the image's name means by now. */
    static StartPlan again(SandboxRecord record, NetworkSpec network, MainCommand main) {
        return new StartPlan(
                record.name(),
                record.image(),
                ImageReference.parse(record.image()),
                PullPolicy.MISSING,
                record.memoryMib(),
                record.cpus(),
                record.policies(),
                network,
                main,
                Optional.of(record));
    }

    Duration timeout() {
        return policies.startTimeout();
    }
}
