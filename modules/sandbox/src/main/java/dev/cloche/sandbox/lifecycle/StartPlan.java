package dev.cloche.sandbox.lifecycle;

import dev.cloche.catalog.WriteDurability;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullPolicy;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.record.SandboxName;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.VmAdmission;
import dev.cloche.vm.WritableLayer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * Says what a start needs to know, of a sandbox that is new or was there before.
 *
 * @param imageName as it was asked for
 * @param ephemeral whether the sandbox goes when it ends
 * @param ownDisk of its VM, and gone with it
 * @param lastingDiskMib the size of the disk that lasts as long as the sandbox
 * @param known the sandbox's row, if it was there before
 * @param main what it runs
 * @param network with its ports as they were asked for
 * @param admission how the host's limits count it, and how long it waits for room
 * @param secrets of a sandbox that is new; one that was there before has kept its own
 */
public record StartPlan(
        String name,
        String imageName,
        ImageReference image,
        PullPolicy pullPolicy,
        int memoryMib,
        int cpus,
        boolean ephemeral,
        Optional<WritableLayer.Disk> ownDisk,
        OptionalInt lastingDiskMib,
        SandboxPolicies policies,
        MainCommand main,
        NetworkSpec network,
        VmAdmission admission,
        Secrets secrets,
        Optional<SandboxRecord> known) {

    /**
     * Plans the first start of a sandbox.
     *
     * @throws SandboxException.InvalidSpecification if it is too large for this host
     * @throws dev.cloche.image.ImageException if the specification's image is not a reference
     */
    public static StartPlan of(SandboxSpec spec, CommandOptions main) {
        HostLimits.check(spec);
        return new StartPlan(
                spec.name().orElseGet(SandboxName::generated),
                spec.image(),
                ImageReference.parse(spec.image()),
                spec.pullPolicy(),
                spec.memoryMib(),
                spec.cpus(),
                spec.ephemeral(),
                ownDisk(spec.ephemeral(), spec.diskMib()),
                lastingDisk(spec.ephemeral(), spec.diskMib()),
                spec.policies(),
                new MainCommand(
                        spec.command(), main, spec.stopSignal(), spec.wholeCommand(), spec.defaults(), spec.stays()),
                spec.network(),
                admission(spec.labels(), spec.waitForRoom()),
                spec.secrets(),
                Optional.empty());
    }

    /**
     * Plans a further start of a sandbox: with the image that it has, also if the image's name means another by now.
     *
     * @param admission of it as it is now
     */
    static StartPlan again(SandboxRecord record, MainCommand main, NetworkSpec network, VmAdmission admission) {
        return new StartPlan(
                record.name(),
                record.image(),
                ImageReference.parse(record.image()),
                PullPolicy.MISSING,
                record.memoryMib(),
                record.cpus(),
                record.ephemeral(),
                ownDisk(record.ephemeral(), record.diskMib()),
                lastingDisk(record.ephemeral(), record.diskMib()),
                record.policies(),
                main,
                network,
                admission,
                Secrets.none(),
                Optional.of(record));
    }

    /** Says how a sandbox with these labels is counted, and how long it waits for room. */
    public static VmAdmission admission(Map<String, String> labels, Duration patience) {
        return new VmAdmission(
                labels.entrySet().stream()
                        .map(label -> label.getKey() + "=" + label.getValue())
                        .collect(Collectors.toSet()),
                patience);
    }

    private static Optional<WritableLayer.Disk> ownDisk(boolean ephemeral, OptionalInt size) {
        return ephemeral && size.isPresent() ? Optional.of(new WritableLayer.Disk(size.getAsInt())) : Optional.empty();
    }

    private static OptionalInt lastingDisk(boolean ephemeral, OptionalInt size) {
        return ephemeral ? OptionalInt.empty() : size;
    }

    /**
     * Returns when its start has to be on the disk. A crash of the host ends the VM, and with it an ephemeral sandbox, so of that
     * nothing has to be.
     */
    WriteDurability durability() {
        return ephemeral ? WriteDurability.WITH_NEXT : WriteDurability.FORCED;
    }

    Duration timeout() {
        return policies.startTimeout();
    }
}
