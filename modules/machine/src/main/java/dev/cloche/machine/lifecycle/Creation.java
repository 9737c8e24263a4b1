package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.PullListener;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.Machines;
import dev.cloche.machine.NewMachine;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.Making;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/** New machines. */
public final class Creation {
    private final Ground ground;
    private final MachineDisks disks;

    public Creation(Ground ground, MachineDisks disks) {
        this.ground = ground;
        this.disks = disks;
    }

    /** As {@link Machines#create} promises. */
    public PersistedMachine create(NewMachine wanted, PullListener listener, Deadline deadline) {
        PersistedMachine plain = PersistedMachine.of(
                        wanted.name(), VmId.random(), ground.clock().instant())
                .withOrigin(MachineOrigin.of(wanted.image()))
                .withResources(wanted.resources())
                .withSettings(wanted.settings().withProvision(wanted.provision().map(_ -> ProvisionScript.FIRST)));
        Support.check(plain);
        Optional<ProvisionScript> script = wanted.provision().map(ProvisionScript::read);
        if (Files.exists(ground.store().directory(wanted.name()))) {
            // Said again by the store, but before a pull.
            throw new MachineException.NameInUse(wanted.name());
        }
        return ground.making(plain.vmId(), plain.name(), () -> {
            ImageDisk disk = new MachineImage(ground, listener).first(plain, deadline);
            PersistedMachine machine = plain.withOrigin(
                    plain.origin().withImageDigest(disk.manifest().toString()));
            publish(machine, script);
            ground.note(machine, "created", "");
            return machine;
        });
    }

    private void publish(PersistedMachine machine, Optional<ProvisionScript> script) {
        try (Making making = Making.begin(ground.store())) {
            disks.make(making.directory(), machine.resources());
            if (script.isPresent()) {
                script.get().write(making.directory());
            }
            ground.store().publish(making, machine);
        } catch (IOException e) {
            throw new MachineException.Storage("The machine's files cannot be made: " + e.getMessage() + ".", e);
        }
    }
}
