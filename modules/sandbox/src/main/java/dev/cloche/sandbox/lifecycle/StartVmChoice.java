package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.linux.BootTime;
import dev.cloche.pool.PoolException;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.warm.GuestSetup;
import dev.cloche.sandbox.warm.TemplateRequest;
import dev.cloche.sandbox.warm.WarmStarts;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.VmAdmission;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Chooses the VM of one start: one of its own, which is to be made, or one of a pool. Which one is recorded before it
 * is touched.
 */
final class StartVmChoice {
    /** Kept of what a detached main command writes; the oldest goes first. */
    private static final long LOG_BYTES = TemplateStore.LOG_BYTES;

    private final SandboxContext context;
    private final StartPlan plan;
    private final Deadline deadline;
    private VmId id = VmId.random();
    /** The one of which nothing was made yet, so that nothing of it is to be removed. */
    private Optional<VmId> unmade = Optional.of(id);

    private Optional<Duration> until = Optional.empty();

    StartVmChoice(SandboxContext context, StartPlan plan, Deadline deadline) {
        this.context = context;
        this.plan = plan;
        this.deadline = deadline;
    }

    /** Returns the one that is recorded now. */
    VmId id() {
        return id;
    }

    /** Returns when its guard ends it, since the host's boot, or a moment before: from when it was made or chosen. */
    Optional<Duration> until() {
        return until;
    }

    private void limitBegins() {
        until = plan.policies().maxDuration().map(longest -> BootTime.now().plus(longest));
    }

    /** As it is booted, which is going to be tried. */
    VmSpec booted(SandboxStart.Prepared prepared, boolean logged) {
        unmade = Optional.empty();
        return boot(prepared, logged);
    }

    private VmSpec boot(SandboxStart.Prepared prepared, boolean logged) {
        VmSpec plain = TemplateRequest.vm(id, prepared.disk(), plan.memoryMib(), plan.cpus())
                .withNetwork(plan.network().device())
                .withWritable(writable(prepared.directory()));
        return limited(plain, logged);
    }

    /** As it goes on from a snapshot, which is going to be tried. */
    VmSpec restored(SandboxStart.Prepared prepared, ChildOrigin origin) {
        unmade = Optional.empty();
        return restore(prepared, origin);
    }

    private VmSpec restore(SandboxStart.Prepared prepared, ChildOrigin origin) {
        return limited(origin.vm(id, prepared.directory().disk(), plan.network().device()), origin.logged());
    }

    private VmSpec limited(VmSpec plain, boolean logged) {
        limitBegins();
        VmSpec limited = plan.policies()
                .maxDuration()
                .map(plain::withMaxDuration)
                .orElse(plain)
                .withIsolation(plan.policies().isolation())
                .withThrottle(plan.policies().diskThrottle())
                .withAdmission(admission());
        // The process that started an attached command reads it.
        return logged ? limited.withOutputLogBytes(LOG_BYTES) : limited;
    }

    /** It waits no longer than its start may take. */
    private VmAdmission admission() {
        VmAdmission asked = plan.admission();
        Duration left = Duration.ofNanos(deadline.remainingNanos());
        return asked.patience().compareTo(left) <= 0 ? asked : new VmAdmission(asked.labels(), left);
    }

    /** Refuses what this host never has room for, before anything is made or pulled. */
    void requirePossible() {
        int disk = plan.ownDisk()
                .map(WritableLayer.Disk::sizeMiB)
                .orElseGet(() -> plan.lastingDiskMib().orElse(0));
        context.vms().requirePossible(plan.memoryMib(), plan.cpus(), disk, plan.admission());
    }

    /** Counts an entry of a pool as this sandbox. */
    private void admit(VmId entry) {
        try {
            context.vms().admit(entry, plan.admission());
        } catch (VmException.NoRoom full) {
            throw new PoolException.Unfit(full.sentence());
        }
    }

    /** What the guest writes goes to its memory, to a disk of its VM, or to one that lasts as long as the sandbox. */
    private WritableLayer writable(SandboxDirectory directory) {
        Path disk = directory.disk();
        PersistentDisks disks = context.vms().disks();
        Optional<PersistentDisk> there = disks.find(disk);
        if (there.isPresent()) {
            return there.get().layer();
        }
        if (plan.lastingDiskMib().isPresent()) {
            return disks.create(disk, plan.lastingDiskMib().getAsInt()).layer();
        }
        return plan.ownDisk().<WritableLayer>map(own -> own).orElseGet(WritableLayer::inMemory);
    }

    /**
     * Takes one of the pool. Where there is none, this start is as if it had not been tried.
     *
     * @param meanwhile done while the guest becomes this sandbox's, also of a VM that fails then
     */
    WarmStarts.Outcome warm(
            SandboxStart.Prepared prepared, boolean logged, GuestSetup setup, Consumer<VmId> meanwhile) {
        return warm(
                prepared,
                WarmStarts.Request.ofImage(boot(prepared, logged), plan.image(), setup, this::isIsolated),
                meanwhile);
    }

    /** Takes one of the pool of the template that a child begins with, if it can be one. */
    WarmStarts.Outcome warm(SandboxStart.Prepared prepared, ChildOrigin origin, Consumer<VmId> meanwhile) {
        boolean own = context.vms().disks().find(prepared.directory().disk()).isPresent();
        Optional<Secrets> secrets = origin.pooledSecrets();
        if (own || secrets.isEmpty()) {
            return WarmStarts.Outcome.NO_POOL;
        }
        return warm(
                prepared,
                new WarmStarts.Request(
                        restore(prepared, origin),
                        PoolShape.of(origin.snapshot()),
                        origin.memory(),
                        new GuestSetup(plan.name(), secrets.get()),
                        this::isIsolated),
                meanwhile);
    }

    private boolean isIsolated(VmId vm) {
        return context.vms().isIsolated(vm, plan.policies().isolation());
    }

    private WarmStarts.Outcome warm(
            SandboxStart.Prepared prepared, WarmStarts.Request request, Consumer<VmId> meanwhile) {
        long sandbox = prepared.place().id();
        VmId own = id;
        try {
            WarmStarts.Acquirer acquirer = new WarmStarts.Acquirer() {
                @Override
                public void chosen(VmId vm) {
                    admit(vm);
                    choose(sandbox, vm);
                    limitBegins();
                }

                @Override
                public void meanwhile(VmId vm) {
                    meanwhile.accept(vm);
                }
            };
            WarmStarts.Outcome outcome = context.launcher().warm().take(request, acquirer, deadline);
            if (outcome.vm().isEmpty() && !id.equals(own)) {
                choose(sandbox, draw());
            }
            return outcome;
        } catch (Throwable failure) {
            // The VM that was chosen last is not this start's any more.
            VmId left = id;
            id = draw();
            if (!left.equals(own)) {
                Uninterrupted.after(failure, () -> replace(sandbox, left, id));
            }
            throw failure;
        }
    }

    /** Takes another one in place of one that did not come up. */
    void anew(long sandbox) {
        choose(sandbox, draw());
    }

    private VmId draw() {
        VmId drawn = VmId.random();
        unmade = Optional.of(drawn);
        return drawn;
    }

    private void choose(long sandbox, VmId next) {
        replace(sandbox, id, next);
        id = next;
    }

    /** Records which VM is this run's from now on. One that was claimed and is broken and resists stays recorded. */
    private void replace(long sandbox, VmId before, VmId next) {
        if (unmade.filter(before::equals).isEmpty()) {
            new SandboxRemoval(context).destroyOwn(sandbox, before);
        }
        if (!context.pools().choose(sandbox, next)) {
            throw new SandboxException.NotRunning(plan.name(), SandboxStatus.STOPPED);
        }
    }
}
