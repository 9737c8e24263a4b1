package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmDeadlineException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * One start, from the record to a guest that answers. Whatever fails, nothing of it stays; of a sandbox that was there
 * before, the record of the failure.
 */
final class SandboxStart {
    /** Kept of what a detached main command writes; the oldest goes first. */
    private static final long LOG_BYTES = Templates.LOG_BYTES;

    /** From the guard's refusal to take orders to its last word on a VM that has ended; takes milliseconds. */
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final Foundations ground;
    private final SandboxEnds ends;
    private final StartPlan plan;
    private final PullListener listener;
    private final Deadline deadline;
    private final long begin = System.nanoTime();
    private VmId vmId = VmId.random();
    private boolean unanswered;

    SandboxStart(Foundations ground, SandboxEnds ends, StartPlan plan, PullListener listener, Deadline deadline) {
        this.ground = ground;
        this.ends = ends;
        this.plan = plan;
        this.listener = listener;
        this.deadline = deadline.orAfter(plan.timeout());
    }

    /**
     * What has come up.
     *
     * @param lock held by this process from before the record was there
     */
    record Started(SandboxRecord record, Vm vm, OwnerLock lock, ImageConfig config, StartTimings timings) {}

    /** A sandbox that is recorded, and this process's. */
    private record Place(long id, OwnerLock lock) {}

    /** Starts a new sandbox that ends with this process. */
    Started attached(SandboxSpec spec) {
        return perform(claimNew(spec, false), false);
    }

    /** Starts a new sandbox that outlives this process and ends with its main command. */
    Started detached(SandboxSpec spec) {
        return perform(claimNew(spec, true), true);
    }

    /**
     * Starts a sandbox anew that was there before, detached.
     *
     * @param lock of it; closed if this fails
     * @param restarts as {@link SandboxStore#startAgain} has it
     */
    Started again(SandboxRecord record, OwnerLock lock, int restarts) {
        try {
            new SandboxRemoval(ground).trim(record);
            if (!ground.store().startAgain(record.id(), record.status(), run(true), restarts)) {
                throw new SandboxException.Owned(record.name());
            }
        } catch (Throwable failure) {
            lock.close();
            throw failure;
        }
        return perform(new Place(record.id(), lock), true);
    }

    /**
     * Starts a new sandbox that begins with a snapshot. It would go away if this process died before it has its disk: nobody
     * would know that it lacks something.
     */
    Started child(SandboxSpec spec, ChildOrigin origin) {
        Place place = claimNew(spec.withEphemeral(true), origin.detached());
        try {
            SandboxUse.begins(place.lock().directory());
            ImageDisk disk =
                    origin.image(Foundations.holder(place.id(), plan.name()), plan.image(), listener, deadline);
            Duration image = since(begin);
            Path own = place.lock().directory().disk();
            origin.copyDisk(own);
            if (!spec.ephemeral()) {
                ground.store().keep(place.id());
            }
            if (origin.boots()) {
                return boot(place, disk, main(disk, origin.detached()), image);
            }
            VmSpec vm = limited(origin.vm(vmId, own, plan.network()), origin.logged());
            Started up = finish(
                    place,
                    disk,
                    origin.begin(vm, plan.name(), deadline),
                    WarmStarts.Outcome.NO_POOL,
                    Optional.empty(),
                    image);
            if (origin.detached()) {
                letGo(up.vm());
            }
            return up;
        } catch (Throwable failure) {
            afterwards(failure, () -> forget(place, failure));
            throw failure;
        }
    }

    private Started perform(Place place, boolean detached) {
        try {
            SandboxUse.begins(place.lock().directory());
            ImageDisk disk = disk(Foundations.holder(place.id(), plan.name()));
            Duration image = since(begin);
            return boot(place, disk, main(disk, detached), image);
        } catch (Throwable failure) {
            afterwards(failure, () -> forget(place, failure));
            throw failure;
        }
    }

    /** What a sandbox that outlives this process ends with. */
    private Optional<ExecRequest> main(ImageDisk disk, boolean detached) {
        return detached
                ? Optional.of(CommandLine.mainRequest(plan.imageName(), plan.main(), disk.config())
                        .asMain())
                : Optional.empty();
    }

    private Newcomer newcomer(Place place) {
        Secrets secrets =
                plan.known().isPresent() ? place.lock().directory().secrets().read() : plan.secrets();
        return new Newcomer(plan.name(), secrets);
    }

    private ImageDisk disk(ImageHolder holder) {
        return plan.known()
                .flatMap(_ -> ground.images().acquireHeld(plan.image(), holder, listener, deadline))
                .orElseGet(() -> ground.images().acquire(plan.image(), plan.pullPolicy(), holder, listener, deadline));
    }

    private Started boot(Place place, ImageDisk disk, Optional<ExecRequest> main, Duration image) {
        Newcomer newcomer = newcomer(place);
        WarmStarts.Outcome warm = warm(place, disk, main.isPresent(), newcomer);
        Beginnings.Begun begun = warm.vm()
                .map(Beginnings.Begun::warm)
                .orElseGet(() -> ground.beginnings()
                        .begin(
                                vmSpec(place, disk, main.isPresent()),
                                plan.image().toString(),
                                newcomer,
                                deadline));
        return finish(place, disk, begun, warm, main, image);
    }

    private Started finish(
            Place place,
            ImageDisk disk,
            Beginnings.Begun begun,
            WarmStarts.Outcome warm,
            Optional<ExecRequest> main,
            Duration image) {
        Vm vm = begun.vm();
        try {
            unanswered = true;
            // The record is written, and the command sent, while the guest is at it.
            SandboxRecord record =
                    running(place.id(), disk, new StartRows.Note(begun.kind(), image, begun.boot(), warm.pool()));
            Optional<GuestExecution> command = main.map(request -> vm.guest().exec(request, deadline));
            begun.await();
            unanswered = false;
            // However long this took, nobody could have used it before.
            SandboxUse.touch(place.lock().directory());
            if (Thread.currentThread().isInterrupted()) {
                // All answers were there before they were waited for.
                throw new SandboxException.Interrupted(plan.name());
            }
            command.ifPresent(started -> handOver(vm, started));
            return new Started(
                    record, vm, place.lock(), disk.config(), begun.timings(since(begin), image, warm.missed()));
        } catch (Throwable failure) {
            afterwards(failure, vm::close);
            throw failure;
        }
    }

    /** A VM of the pool. Where there is none, this start is as if it had not been tried. */
    private WarmStarts.Outcome warm(Place place, ImageDisk disk, boolean logged, Newcomer newcomer) {
        WarmStarts.Request request = new WarmStarts.Request(vmSpec(place, disk, logged), plan.image(), newcomer);
        VmId own = vmId;
        try {
            WarmStarts.Outcome outcome = ground.beginnings().warm().take(request, vm -> choose(place, vm), deadline);
            if (outcome.vm().isEmpty() && !vmId.equals(own)) {
                choose(place, VmId.random());
            }
            return outcome;
        } catch (Throwable failure) {
            // Whatever became of the one that was chosen last: it is not this start's any more.
            VmId left = vmId;
            vmId = VmId.random();
            if (!left.equals(own)) {
                afterwards(failure, () -> replace(place, left, vmId));
            }
            throw failure;
        }
    }

    private void choose(Place place, VmId next) {
        replace(place, vmId, next);
        vmId = next;
    }

    /** Records which VM is this run's from now on. One that was claimed and is broken and resists stays recorded. */
    private void replace(Place place, VmId before, VmId next) {
        new SandboxRemoval(ground).destroyOwn(place.id(), before);
        if (!ground.pools().choose(place.id(), next)) {
            throw new SandboxException.NotRunning(plan.name(), SandboxStatus.STOPPED);
        }
    }

    private SandboxRecord running(long id, ImageDisk disk, StartRows.Note note) {
        Optional<ProcessIdentity> guard = ground.vms().get(vmId).flatMap(VmInfo::guard);
        boolean moved = ground.store().running(id, guard, disk.manifest().toString(), note);
        SandboxRecord record = ground.store().byId(id).orElseThrow(() -> new SandboxException.NotFound(plan.name()));
        if (!moved) {
            // Somebody has ended it who cared neither for its lock nor for its status.
            throw new SandboxException.NotRunning(plan.name(), record.status());
        }
        return record;
    }

    /** The VM is let go only when the command runs: without one, nothing would ever end it. */
    private void handOver(Vm vm, GuestExecution main) {
        main.close();
        letGo(vm);
    }

    private static void letGo(Vm vm) {
        try {
            vm.detach();
        } catch (VmException refused) {
            // A short command may have ended, and its VM with it.
            if (!hasEnded(vm)) {
                throw refused;
            }
        }
    }

    private static boolean hasEnded(Vm vm) {
        try {
            return vm.awaitExit(Deadline.after(END_LIMIT)).mainExit().isPresent();
        } catch (VmDeadlineException alive) {
            return false;
        }
    }

    private Place claimNew(SandboxSpec spec, boolean detached) {
        NewSandboxes claims = new NewSandboxes(ground, ends);
        NewSandboxes.Place place =
                claims.claim(new SandboxStore.NewSandbox(plan.name(), spec, plan.main()), Optional.of(run(detached)));
        return new Place(place.id(), place.lock());
    }

    private SandboxStore.NewRun run(boolean detached) {
        return new SandboxStore.NewRun(vmId, detached, ProcessIdentity.current());
    }

    /** What the guest writes goes to its memory, to a disk of its VM, or to one that lasts as long as the sandbox. */
    private WritableLayer writable(Place place) {
        Path directory = place.lock().directory().disk();
        PersistentDisks disks = ground.vms().disks();
        Optional<PersistentDisk> there = disks.find(directory);
        if (there.isPresent()) {
            return there.get().layer();
        }
        if (plan.lastingDiskMib().isPresent()) {
            return disks.create(directory, plan.lastingDiskMib().getAsInt()).layer();
        }
        return plan.ownDisk().<WritableLayer>map(own -> own).orElseGet(WritableLayer::inMemory);
    }

    private VmSpec vmSpec(Place place, ImageDisk disk, boolean logged) {
        VmSpec plain = TemplateRequest.vm(vmId, disk, plan.memoryMib(), plan.cpus())
                .withNetwork(plan.network())
                .withWritable(writable(place));
        return limited(plain, logged);
    }

    private VmSpec limited(VmSpec plain, boolean logged) {
        VmSpec limited =
                plan.policies().maxDuration().map(plain::withMaxDuration).orElse(plain);
        // Whoever started an attached command reads it.
        return logged ? limited.withOutputLogBytes(LOG_BYTES) : limited;
    }

    /** Not only while the row is there: what was made after somebody removed the row is known to nobody else. */
    private void forget(Place place, Throwable failure) {
        try (OwnerLock lock = place.lock()) {
            ends.record(
                    place.id(), Ending.ofFailedStart(failure, unanswered && failure instanceof VmDeadlineException));
            if (plan.known().isPresent()) {
                new SandboxRemoval(ground).destroy(vmId);
            } else {
                ends.forget(lock, place.id(), plan.name(), vmId);
            }
        }
    }

    private static void afterwards(Throwable failure, Runnable work) {
        try {
            Uninterrupted.run(work);
        } catch (RuntimeException second) {
            failure.addSuppressed(second);
        }
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
