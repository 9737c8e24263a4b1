package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.warm.TemplateNotes;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes, finds and removes the templates of a state root. A template is a snapshot whose name is a digest of all that a
 * restore depends on, so it is either right or not found. Safe for use from several threads and processes.
 */
public final class TemplateStore {
    /** As of every sandbox, whether it logs or not: a clone of a template without the port could not log. */
    public static final long LOG_BYTES = 16 << 20;

    private static final String PREFIX = "template-";
    /** A making that failed is not tried again by itself before; what fails for one start mostly fails for the next. */
    private static final Duration AFTER_FAILURE = Duration.ofHours(1);

    private final TemplateNotes notes;
    private final VmProvider vms;
    private final Clock clock;

    /**
     * Opens the templates of a state root.
     *
     * @param directory for locks and times of use; made when it is needed
     */
    public TemplateStore(Path directory, VmProvider vms, Clock clock) {
        notes = new TemplateNotes(directory, clock);
        this.vms = vms;
        this.clock = clock;
    }

    /** Returns what a template of a sandbox's VM is the template of: of a network only that there is one. */
    private static VmSpec shape(VmId id, VmSpec vm) {
        return VmSpec.of(id, vm.rootDisk())
                .withMemoryMiB(vm.memoryMiB())
                .withCpus(vm.cpus())
                .withWritable(vm.writable())
                .withNetwork(vm.network() instanceof NetworkSpec.User ? NetworkSpec.user() : NetworkSpec.none())
                .withOutputLogBytes(LOG_BYTES);
    }

    public SnapshotName name(VmSpec vm) {
        // A fingerprint has no size of a disk: what is restored goes on with the one that it was taken with.
        String size = vm.writable() instanceof WritableLayer.Disk(int sizeMiB) ? "-" + sizeMiB : "";
        return new SnapshotName(PREFIX + vms.fingerprint(shape(vm.id(), vm)).substring(0, 32) + size);
    }

    /** Returns the template that a VM can be restored from in place of its boot, and notes its use. */
    public Optional<SnapshotRef> find(VmSpec vm) {
        SnapshotName name = name(vm);
        try {
            Optional<SnapshotRef> found =
                    vms.snapshot(name).filter(taken -> taken.rootDisk().equals(vm.rootDisk()));
            if (found.isPresent()) {
                notes.used(name);
            }
            return found;
        } catch (SnapshotException.Damaged damaged) {
            discard(name);
            return Optional.empty();
        }
    }

    /**
     * Takes the right to prepare a template of a name alone, among all processes.
     *
     * @throws SandboxException.TemplateLate if another process takes longer than the deadline
     */
    public LockFile prepareAlone(String name, Deadline deadline) {
        try {
            return notes.alone(new SnapshotName("prepared-" + name), deadline)
                    .orElseThrow(() -> new SandboxException.TemplateLate(name));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.Interrupted(name);
        }
    }

    /**
     * Says whether a template should be made: there is none, no process is making it, and no attempt has failed lately.
     */
    public boolean wanted(VmSpec vm) {
        SnapshotName name = name(vm);
        return vms.snapshot(name).isEmpty()
                && !notes.isBeingMade(name)
                && notes.lastFailed(name)
                        .map(at -> at.plus(AFTER_FAILURE).isBefore(clock.instant()))
                        .orElse(true);
    }

    /**
     * Makes the template of a VM, unless there is one or a process is making it.
     *
     * @param vm whose image the caller holds
     * @return the template; empty if another process makes it
     * @throws VmException if it cannot be made; nothing is left of it
     */
    public Optional<SnapshotRef> make(VmSpec vm, Deadline deadline) {
        SnapshotName name = name(vm);
        Optional<SnapshotRef> known = vms.snapshot(name);
        if (known.isPresent()) {
            return known;
        }
        Optional<LockFile> alone = notes.tryMake(name);
        if (alone.isEmpty()) {
            return Optional.empty();
        }
        try (LockFile _ = alone.get()) {
            // Another process may have made it between the look and the lock.
            Optional<SnapshotRef> made = vms.snapshot(name);
            if (made.isPresent()) {
                return made;
            }
            // Of a maker that was killed there may be a VM; this removes it.
            vms.snapshots();
            SnapshotRef taken = take(shape(VmId.random(), vm), name, deadline);
            notes.made(name);
            return Optional.of(taken);
        } catch (VmException e) {
            notes.failed(name);
            throw e;
        }
    }

    /**
     * Returns the template of a VM: the one that there is, or is made here, or that another process is making.
     *
     * @param vm whose image the caller holds
     * @throws VmException if it cannot be made; nothing is left of it
     * @throws SandboxException.TemplateLate if the process that makes it takes longer than the deadline
     */
    public SnapshotRef ensure(VmSpec vm, Deadline deadline) throws InterruptedException {
        while (true) {
            Optional<SnapshotRef> template = find(vm).or(() -> make(vm, deadline));
            if (template.isPresent()) {
                return template.get();
            }
            if (!notes.awaitMaker(name(vm), deadline)) {
                throw new SandboxException.TemplateLate(name(vm).value());
            }
        }
    }

    private SnapshotRef take(VmSpec shape, SnapshotName name, Deadline deadline) {
        Vm maker = vms.create(shape.asTemplateMaker());
        try {
            maker.start(deadline);
            exercise(maker.guest(), deadline);
            return maker.snapshot(name, deadline);
        } finally {
            // The end of a handle interrupts the making. An interrupted thread would not wait for the end of its VM.
            Uninterrupted.run(() -> {
                maker.close();
                maker.destroy();
            });
        }
    }

    /** What a first command reads of the image is in the guest's memory then, and so in every clone's. */
    private static void exercise(Guest guest, Deadline deadline) {
        try (GuestExecution done = guest.exec(ExecRequest.of("true"), deadline)) {
            var _ = done.await(deadline);
        } catch (SpawnException missing) {
            return;
        }
    }

    /** Removes a template from which a restore has failed, unless it is in use. */
    public void discard(SnapshotName name) {
        try {
            vms.deleteSnapshot(name);
        } catch (SnapshotException.NotFound gone) {
            return;
        } catch (VmException used) {
            System.getLogger(TemplateStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "template " + name + " stays", used);
        }
    }

    /** Returns all templates, by name. */
    public List<Template> list() {
        return vms.snapshots().stream()
                .filter(TemplateStore::isTemplate)
                .map(this::template)
                .toList();
    }

    private Template template(SnapshotRef taken) {
        Instant used = notes.lastUsed(taken.name()).orElse(taken.createdAt());
        return Template.of(taken, used, Files.isReadable(taken.rootDisk().path()));
    }

    /**
     * Returns one template.
     *
     * @throws SandboxException.NoTemplate if there is none of that name
     */
    public Template get(String name) {
        return list().stream()
                .filter(template -> template.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new SandboxException.NoTemplate(name));
    }

    /**
     * Removes a template. Sandboxes that were started from it keep it until they end.
     *
     * @throws SandboxException.NoTemplate if there is none of that name
     * @throws VmException.Busy if sandboxes run that were started from it
     */
    public void remove(String name) {
        delete(new SnapshotName(get(name).name()));
    }

    private void delete(SnapshotName name) {
        vms.deleteSnapshot(name);
        notes.forget(name);
    }

    /**
     * Removes the templates that were not used for so long, and those whose image is gone; not those in use.
     *
     * @return the names of what was removed
     */
    public List<String> prune(Duration unusedFor) {
        List<String> removed = new ArrayList<>();
        for (SnapshotName name : unused(unusedFor)) {
            try {
                delete(name);
                removed.add(name.value());
            } catch (VmException.Busy | SnapshotException.NotFound usedOrGone) {
                System.getLogger(TemplateStore.class.getName())
                        .log(System.Logger.Level.DEBUG, "template " + name + " stays", usedOrGone);
            }
        }
        return List.copyOf(removed);
    }

    /** Returns what {@link #prune} would remove now; removes nothing. */
    public List<String> prunePlan(Duration unusedFor) {
        return unused(unusedFor).stream()
                .filter(name -> !vms.isSnapshotMapped(name))
                .map(SnapshotName::value)
                .toList();
    }

    private List<SnapshotName> unused(Duration unusedFor) {
        Instant since = clock.instant().minus(unusedFor);
        return list().stream()
                .filter(template -> !template.usable() || !template.lastUsedAt().isAfter(since))
                .map(template -> new SnapshotName(template.name()))
                .toList();
    }

    private static boolean isTemplate(SnapshotRef taken) {
        return taken.name().value().startsWith(PREFIX);
    }
}
