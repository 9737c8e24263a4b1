package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.FlightRecording;
import dev.cloche.base.OperationWatch;
import dev.cloche.base.Uninterrupted;
import dev.cloche.catalog.WriteDurability;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.directory.SandboxUse;
import dev.cloche.sandbox.lifecycle.NewSandboxes.Place;
import dev.cloche.sandbox.record.CommandLine;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.sandbox.warm.GuestSetup;
import dev.cloche.sandbox.warm.Stopwatch;
import dev.cloche.sandbox.warm.VmLauncher;
import dev.cloche.sandbox.warm.WarmStarts;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Starts one sandbox once, from the record to a guest that answers. If any step fails, nothing of the start stays; of a
 * sandbox that was there before, the record of the failure.
 */
public final class SandboxStart {
    private final SandboxContext context;
    private final SandboxTerminator terminator;
    private final StartPlan plan;
    private final PullListener listener;
    private final Deadline deadline;
    private final Stopwatch total = Stopwatch.start();
    private final StartVmChoice vm;
    private final StartCompletion completion;

    /** Is the id of its sandbox's record, 0 until it has one. */
    private long claimed;

    public SandboxStart(
            SandboxContext context,
            SandboxTerminator terminator,
            StartPlan plan,
            PullListener listener,
            Deadline deadline) {
        this.context = context;
        this.terminator = terminator;
        this.plan = plan;
        this.listener = listener;
        this.deadline = deadline.orAfter(plan.timeout());
        vm = new StartVmChoice(context, plan, this.deadline);
        completion = new StartCompletion(context, plan, vm, this.deadline);
    }

    /**
     * Says what has come up.
     *
     * @param lock held by this process from before the record was there
     */
    public record Started(SandboxRecord record, Vm vm, OwnerLock lock, ImageConfig config, StartTimings timings) {}

    /**
     * Describes a sandbox that has its image.
     *
     * @param took how long it took to get that
     */
    record Prepared(Place place, ImageDisk disk, Duration took) {
        SandboxDirectory directory() {
            return place.lock().directory();
        }
    }

    /** Starts a new sandbox that ends with this process. */
    public Started attached(SandboxSpec spec) {
        return told(() -> perform(claimNew(spec, false), false));
    }

    /** Starts a new sandbox that outlives this process and ends with its main command. */
    public Started detached(SandboxSpec spec) {
        return told(() -> perform(claimNew(spec, true), true));
    }

    /**
     * Starts a sandbox anew that was there before, detached.
     *
     * @param lock of it; closed if this fails
     * @param restarts as {@link SandboxStore#startAgain} has it
     */
    Started again(SandboxRecord record, OwnerLock lock, int restarts) {
        return told(() -> perform(claimAgain(record, lock, restarts), true));
    }

    private Place claimAgain(SandboxRecord record, OwnerLock lock, int restarts) {
        try {
            new SandboxRemoval(context).trim(record);
            if (!context.store().startAgain(record.id(), record.status(), run(true), restarts)) {
                throw new SandboxException.Owned(record.name());
            }
        } catch (Throwable failure) {
            lock.close();
            throw failure;
        }
        return new Place(record.id(), lock);
    }

    /**
     * Starts a new sandbox that begins with a snapshot. It would go away if this process died before it has its disk:
     * no other process would know that it lacks something.
     */
    public Started child(SandboxSpec spec, ChildOrigin origin) {
        return told(() -> copyOf(origin, spec));
    }

    private Started copyOf(ChildOrigin origin, SandboxSpec spec) {
        Place place = claimNew(spec.withEphemeral(true), origin.detached());
        return wholly(place, () -> {
            ImageDisk disk = origin.image(holder(place), plan.image(), listener, deadline);
            Prepared prepared = new Prepared(place, disk, total.elapsed());
            origin.copyDisk(prepared.directory().disk());
            if (!spec.ephemeral()) {
                prepared.directory().secrets().write(spec.secrets());
                context.store().keep(place.id());
            }
            return origin.boots() ? begin(prepared, origin.detached()) : goOn(prepared, origin);
        });
    }

    private Started goOn(Prepared prepared, ChildOrigin origin) {
        WarmStarts.Outcome warm = vm.warm(prepared, origin, chosen -> completion.begin(prepared, chosen));
        VmLauncher.Launched launched = warm.vm()
                .map(VmLauncher.Launched::warm)
                .orElseGet(() -> origin.begin(vm.restored(prepared, origin), plan.name(), deadline));
        Started up = completion.await(prepared, launched, warm, Optional.empty(), total);
        if (origin.detached()) {
            StartCompletion.letGo(up.vm());
        }
        return up;
    }

    private Started perform(Place place, boolean detached) {
        return wholly(place, () -> begin(new Prepared(place, disk(holder(place)), total.elapsed()), detached));
    }

    /** Does all of a start, or nothing. */
    private Started wholly(Place place, Supplier<Started> start) {
        claimed = place.id();
        try {
            if (plan.known().isPresent()) {
                // What an earlier run or end has left would be in the way; a new sandbox has nothing yet.
                SandboxUse.begins(place.lock().directory());
            }
            return start.get();
        } catch (Throwable failure) {
            Uninterrupted.after(failure, () -> forget(place, failure));
            throw failure;
        }
    }

    /** Tells of a start, also of one that finds its name taken. */
    private Started told(Supplier<Started> start) {
        OperationWatch<SandboxOperation.Start> watch = context.operations()
                .begin(
                        SandboxOperation.Start.class,
                        plan.name(),
                        FlightRecording.isAvailable() ? new JfrStart() : null);
        try {
            Started up = start.get();
            watch.succeeded(
                    (took, failure) -> operation(Optional.of(up.vm().id()), Optional.of(up.timings()), took, failure));
            return up;
        } catch (Throwable failed) {
            watch.failed(failed, (took, failure) -> operation(Optional.empty(), Optional.empty(), took, failure));
            throw failed;
        }
    }

    private SandboxOperation.Start operation(
            Optional<VmId> up, Optional<StartTimings> timings, Duration took, Optional<String> failure) {
        return new SandboxOperation.Start(plan.name(), claimed, plan.image().toString(), up, timings, took, failure);
    }

    /**
     * Begins the VM. One that does not come up may have been given a damaged disk; with one that is made again it is
     * tried once more.
     */
    private Started begin(Prepared prepared, boolean detached) {
        ImageHolder holder = holder(prepared.place());
        CommandLine.doubt(plan.main(), prepared.disk().config())
                .ifPresent(doubt -> listener.on(new PullEvent.Warning(doubt)));
        try {
            return beginOnce(prepared, detached);
        } catch (VmException.StartFailed failed) {
            if (!context.images().mendHeld(plan.image(), holder, listener, deadline)) {
                throw failed;
            }
            vm.anew(prepared.place().id());
            return beginOnce(prepared, detached);
        } catch (VmException.Deadline late) {
            context.images().doubtHeld(holder);
            throw late;
        }
    }

    private Started beginOnce(Prepared prepared, boolean detached) {
        boolean stays = detached && plan.main().stays();
        Optional<ExecRequest> main = detached && !stays ? Optional.of(main(prepared)) : Optional.empty();
        GuestSetup setup = setup(prepared);
        WarmStarts.Outcome warm = vm.warm(prepared, detached, setup, chosen -> completion.begin(prepared, chosen));
        VmLauncher.Launched launched = warm.vm()
                .map(VmLauncher.Launched::warm)
                .orElseGet(() -> context.launcher()
                        .begin(vm.booted(prepared, detached), plan.image().toString(), setup, deadline));
        Started up = completion.await(prepared, launched, warm, main, total);
        if (stays) {
            StartCompletion.letGo(up.vm());
        }
        return up;
    }

    /** Returns what a sandbox that outlives this process ends with. */
    private ExecRequest main(Prepared prepared) {
        return CommandLine.mainRequest(
                        plan.imageName(), plan.main(), prepared.disk().config())
                .asMain();
    }

    private ImageHolder holder(Place place) {
        return SandboxContext.holder(place.id(), plan.name());
    }

    private GuestSetup setup(Prepared prepared) {
        Secrets secrets =
                plan.known().isPresent() ? prepared.directory().secrets().read() : plan.secrets();
        return new GuestSetup(plan.name(), secrets);
    }

    private ImageDisk disk(ImageHolder holder) {
        return plan.known()
                .flatMap(_ -> context.images().acquireHeld(plan.image(), holder, listener, deadline))
                .orElseGet(() -> context.images()
                        .acquire(
                                plan.image(),
                                plan.pullPolicy(),
                                holder,
                                WriteDurability.WITH_NEXT,
                                listener,
                                deadline));
    }

    private Place claimNew(SandboxSpec spec, boolean detached) {
        vm.requirePossible();
        SandboxStore.NewSandbox row = new SandboxStore.NewSandbox(plan.name(), spec, plan.main());
        return new NewSandboxes(context, terminator).claim(row, Optional.of(run(detached)));
    }

    private SandboxStore.NewRun run(boolean detached) {
        return new SandboxStore.NewRun(vm.id(), detached, ProcessIdentity.current());
    }

    /**
     * Forgets a new sandbox, not only while the row is there: what was made after another process removed the row is
     * known to no other.
     */
    private void forget(Place place, Throwable failure) {
        try (OwnerLock lock = place.lock()) {
            terminator.record(place.id(), completion.termination(failure));
            if (plan.known().isPresent()) {
                new SandboxRemoval(context).destroy(vm.id());
            } else {
                terminator.forget(lock, place.id(), plan.name(), vm.id());
            }
        }
    }
}
