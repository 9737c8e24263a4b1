package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.PullListener;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.NewMachine;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.StagingDirectory;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/** Creates machines. */
public final class Creation {
    private final MachineContext context;
    private final MachineDisks disks;

    public Creation(MachineContext context, MachineDisks disks) {
        this.context = context;
        this.disks = disks;
    }

    /** Does what {@link MachineManager#create} promises. */
    public PersistedMachine create(NewMachine wanted, PullListener listener, Deadline deadline) {
        PersistedMachine plain = PersistedMachine.of(
                        wanted.name(), VmId.random(), context.clock().instant())
                .withOrigin(MachineOrigin.of(wanted.image()))
                .withResources(wanted.resources())
                .withSettings(wanted.settings().withProvision(wanted.provision().map(_ -> ProvisionScript.FIRST)));
        SupportRules.check(plain);
        Optional<ProvisionScript> script = wanted.provision().map(ProvisionScript::read);
        if (Files.exists(context.store().directory(wanted.name()))) {
            // Said again by the store, but before a pull.
            throw new MachineException.NameInUse(wanted.name());
        }
        return context.creating(plain.vmId(), plain.name(), () -> {
            ImageDisk disk = new MachineImage(context, listener).first(plain, deadline);
            PersistedMachine machine = plain.withOrigin(
                    plain.origin().withImageDigest(disk.manifest().toString()));
            publish(machine, script);
            context.note(machine, MachineEvent.Kind.CREATED, "");
            return machine;
        });
    }

    private void publish(PersistedMachine machine, Optional<ProvisionScript> script) {
        try (StagingDirectory staging = StagingDirectory.create(context.store())) {
            disks.make(staging.directory(), machine.resources());
            if (script.isPresent()) {
                script.get().write(staging.directory());
            }
            context.store().publish(staging, machine);
        } catch (IOException e) {
            throw new MachineException.Storage("The machine's files cannot be made: " + e.getMessage() + ".", e);
        }
    }
}
