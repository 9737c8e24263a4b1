package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.Changed;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.Machines;
import dev.cloche.machine.NewMachine;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.WantedFile;
import dev.cloche.vm.VmId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Machines as a file describes them: made, or changed to match. */
public final class Applying {
    private final Ground ground;
    private final Creation creation;
    private final Editing editing;

    public Applying(Ground ground, Creation creation, Editing editing) {
        this.ground = ground;
        this.creation = creation;
        this.editing = editing;
    }

    /** As {@link Machines#apply} promises. */
    public Changed apply(Path file, PullListener listener, Deadline deadline) {
        WantedFile wanted = WantedFile.read(file);
        return ground.store().list().contains(wanted.name().value())
                ? change(wanted, deadline)
                : new Changed(create(wanted, file, listener, deadline), false);
    }

    private Changed change(WantedFile wanted, Deadline deadline) {
        UnaryOperator<PersistedMachine> change = machine -> wanted.image()
                .map(image -> wanted.change().apply(machine).withOrigin(named(machine, image)))
                .orElseGet(() -> wanted.change().apply(machine));
        return editing.change(wanted.name(), change, wanted.provision().map(ProvisionScript::read), deadline);
    }

    /** An image is what a machine was made from: that the file names another one is found and refused by who changes it. */
    private static MachineOrigin named(PersistedMachine machine, String image) {
        MachineOrigin origin = machine.origin();
        return new MachineOrigin(Optional.of(image), origin.imageDigest(), origin.distro(), origin.distroVersion());
    }

    private PersistedMachine create(WantedFile wanted, Path file, PullListener listener, Deadline deadline) {
        String image = wanted.image()
                .orElseThrow(() -> new MachineException.Invalid(
                        "The file " + file + " describes a new machine and names no image.",
                        "Say which with image = \"…\"."));
        PersistedMachine defaults = wanted.change()
                .apply(PersistedMachine.of(
                        wanted.name(), VmId.random(), ground.clock().instant()));
        NewMachine plain = NewMachine.of(wanted.name(), image)
                .withResources(defaults.resources())
                .withSettings(defaults.settings());
        return creation.create(wanted.provision().map(plain::withProvision).orElse(plain), listener, deadline);
    }
}
