package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.ChangedMachine;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.NewMachine;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.DesiredConfig;
import dev.cloche.vm.VmId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Makes machines as a file describes them, or changes them to match. */
public final class MachineApply {
    private final MachineContext context;
    private final Creation creation;
    private final ConfigUpdates updates;

    public MachineApply(MachineContext context, Creation creation, ConfigUpdates updates) {
        this.context = context;
        this.creation = creation;
        this.updates = updates;
    }

    /** Does what {@link MachineManager#apply} promises. */
    public ChangedMachine apply(Path file, PullListener listener, Deadline deadline) {
        DesiredConfig desired = DesiredConfig.read(file);
        return context.store().list().contains(desired.name().value())
                ? change(desired, deadline)
                : new ChangedMachine(create(desired, file, listener, deadline), false);
    }

    private ChangedMachine change(DesiredConfig desired, Deadline deadline) {
        UnaryOperator<PersistedMachine> change = machine -> desired.image()
                .map(image -> desired.change().apply(machine).withOrigin(named(machine, image)))
                .orElseGet(() -> desired.change().apply(machine));
        return updates.change(desired.name(), change, desired.provision().map(ProvisionScript::read), deadline);
    }

    /**
     * States the image that the file names. An image is what a machine was made from: that the file names another one
     * is found and refused by the caller that changes it.
     */
    private static MachineOrigin named(PersistedMachine machine, String image) {
        MachineOrigin origin = machine.origin();
        return new MachineOrigin(Optional.of(image), origin.imageDigest(), origin.distro(), origin.distroVersion());
    }

    private PersistedMachine create(DesiredConfig desired, Path file, PullListener listener, Deadline deadline) {
        String image = desired.image()
                .orElseThrow(() -> new MachineException.Invalid(
                        "The file " + file + " describes a new machine and names no image.",
                        "Say which with image = \"…\"."));
        PersistedMachine defaults = desired.change()
                .apply(PersistedMachine.of(
                        desired.name(), VmId.random(), context.clock().instant()));
        NewMachine plain = NewMachine.of(desired.name(), image)
                .withResources(defaults.resources())
                .withSettings(defaults.settings());
        return creation.create(desired.provision().map(plain::withProvision).orElse(plain), listener, deadline);
    }
}
