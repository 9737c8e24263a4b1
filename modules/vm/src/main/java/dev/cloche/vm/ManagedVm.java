package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The handle of a VM, whatever runs it: what its owner or a client may do with it, and how it is ended.
 *
 * <p>{@code changing} is held by the one call that is changing the state, so a pause waits for another; ends do not need
 * it, because a VM may end at any time.
 */
final class ManagedVm implements Vm {
    /** What a guest has for syncing its disks, beyond the grace of its processes. */
    private static final Duration SYNC_ALLOWANCE = Duration.ofSeconds(2);

    private final VmId id;
    private final Machine machine;
    private final BootPolicy policy;
    private final Ownership ownership;
    private final Identities identities;
    private final Consumer<Vm> onClose;

    private final ReentrantLock changing = new ReentrantLock();
    private final VmLife life;
    private final SnapshotTaker snapshots;
    private volatile boolean attached;

    private ManagedVm(
            VmId id,
            Machine machine,
            BootPolicy policy,
            Ownership ownership,
            boolean clone,
            Optional<GuestNetwork> network,
            Consumer<Vm> onClose) {
        this.id = id;
        this.machine = machine;
        this.policy = policy;
        this.ownership = ownership;
        this.onClose = onClose;
        identities = new Identities(id, machine, clone, network);
        life = new VmLife(id);
        snapshots = new SnapshotTaker(id, machine, life, identities);
        attached = ownership == Ownership.ATTACHED || ownership == Ownership.TEMPLATE_MAKER;
    }

    /** What the holder of a handle may do, and what its end means. */
    private enum Ownership {
        ATTACHED,
        /** Attached, and ended by its snapshot. */
        TEMPLATE_MAKER,
        DETACHED,
        /** Somebody else's VM. */
        NONE;

        static Ownership of(VmSpec spec, boolean attached) {
            return spec.templateMaker() ? TEMPLATE_MAKER : attached ? ATTACHED : DETACHED;
        }
    }

    private static Optional<GuestNetwork> network(VmSpec spec) {
        return spec.network() instanceof NetworkSpec.User user
                ? Optional.of(UserNetwork.of(spec.id(), user))
                : Optional.empty();
    }

    /** A new VM of this process. */
    static ManagedVm created(VmSpec spec, Machine machine, BootPolicy policy, Consumer<Vm> onClose) {
        return new ManagedVm(
                spec.id(),
                machine,
                policy,
                Ownership.of(spec, spec.attached()),
                spec.snapshot().isPresent(),
                network(spec),
                onClose);
    }

    /** A client of a VM that runs already; waits for the guest's hello. Closes the run if that fails. */
    static ManagedVm connected(VmId id, Run run, Consumer<Vm> onClose, Deadline deadline) {
        ManagedVm vm = new ManagedVm(
                id, new ForeignMachine(), BootPolicy.DEFAULT, Ownership.NONE, false, Optional.empty(), onClose);
        vm.join(run, false, deadline);
        return vm;
    }

    /**
     * The new owner of a VM that runs already; waits for the guest's hello unless it is paused. Closes the run if that fails.
     */
    static ManagedVm adopted(
            VmSpec spec,
            Machine machine,
            Run run,
            boolean attached,
            boolean paused,
            Consumer<Vm> onClose,
            Deadline deadline) {
        ManagedVm vm = new ManagedVm(
                spec.id(),
                machine,
                BootPolicy.DEFAULT,
                Ownership.of(spec, attached),
                spec.snapshot().isPresent(),
                network(spec),
                onClose);
        vm.join(run, paused, deadline);
        try {
            vm.snapshots.recover(deadline);
        } catch (RuntimeException e) {
            vm.letGo();
            throw e;
        }
        return vm;
    }

    private void join(Run run, boolean paused, Deadline deadline) {
        GuestConnection connection = GuestConnection.open(id.value(), run.channel());
        try {
            if (!paused) {
                var _ = Waiting.on(connection.ready(), deadline, "the guest's hello");
                identities.settle(connection, deadline);
            }
        } catch (RuntimeException e) {
            connection.close();
            run.close();
            throw e;
        }
        life.running(run, connection);
        if (paused) {
            life.move(VmTransition.PAUSED);
        }
    }

    @Override
    public VmId id() {
        return id;
    }

    @Override
    public VmState state() {
        return life.state();
    }

    private boolean owned() {
        return ownership != Ownership.NONE;
    }

    @Override
    public void start(Deadline deadline) {
        starting(identities::settle, deadline);
    }

    @Override
    public void start(Supplier<GuestIdentity> identity, Deadline deadline) {
        starting((guest, soon) -> identities.give(Optional.of(identity), guest, soon), deadline);
    }

    @Override
    public void prepare(Deadline deadline) {
        starting((guest, soon) -> {}, deadline);
        pause(deadline);
    }

    private void starting(BiConsumer<GuestConnection, Deadline> greeted, Deadline deadline) {
        if (!changing.tryLock()) {
            throw new VmStateException(id, state(), "be started while something else is done with it");
        }
        try {
            life.require(VmTransition.STARTED, "be started");
            new Boot(id, machine, policy, life, greeted).run(deadline);
        } finally {
            changing.unlock();
        }
    }

    @Override
    public Guest guest() {
        return life.live("speak to its guest");
    }

    @Override
    public void pause(Deadline deadline) {
        changing(deadline, () -> {
            life.require(VmTransition.PAUSED, "be paused");
            life.halt(deadline);
        });
    }

    @Override
    public void resume(Deadline deadline) {
        resuming(identities::settle, deadline);
    }

    @Override
    public void resume(Supplier<GuestIdentity> identity, Deadline deadline) {
        resuming((guest, soon) -> identities.give(Optional.of(identity), guest, soon), deadline);
    }

    private void resuming(BiConsumer<GuestConnection, Deadline> greeted, Deadline deadline) {
        changing(deadline, () -> {
            life.require(VmTransition.RESUMED, "be resumed");
            life.goOn(deadline);
            GuestConnection guest = life.live("be resumed");
            // One that was adopted while it was paused has not been greeted yet.
            var _ = Waiting.on(guest.ready(), deadline, "the guest's hello");
            greeted.accept(guest, deadline);
        });
    }

    private void changing(Deadline deadline, Runnable how) {
        try {
            if (!changing.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw new VmDeadlineException("another change of VM " + id);
            }
        } catch (InterruptedException e) {
            throw Waiting.interrupted("another change of VM " + id);
        }
        try {
            how.run();
        } finally {
            changing.unlock();
        }
    }

    @Override
    public SnapshotRef snapshot(SnapshotName name, Deadline deadline) {
        if (!owned()) {
            throw new VmStateException(id, state(), "be snapshot by a process that does not own it");
        }
        return capturing(
                deadline,
                () -> ownership == Ownership.TEMPLATE_MAKER
                        ? snapshots.ofMaker(name, this::killPatiently, deadline)
                        : snapshots.ofOneThatGoesOn(name, deadline));
    }

    @Override
    public SnapshotRef suspend(SnapshotName name, Deadline deadline) {
        if (!owned()) {
            throw new VmStateException(id, state(), "be suspended by a process that does not own it");
        }
        if (ownership == Ownership.TEMPLATE_MAKER) {
            throw new VmStateException(id, state(), "be suspended, because it makes a template");
        }
        return capturing(deadline, () -> snapshots.ofOneThatEnds(name, this::killPatiently, deadline));
    }

    private SnapshotRef capturing(Deadline deadline, Supplier<SnapshotRef> how) {
        AtomicReference<Optional<SnapshotRef>> published = new AtomicReference<>(Optional.empty());
        changing(deadline, () -> published.set(Optional.of(how.get())));
        return published.get().orElseThrow();
    }

    @Override
    public void growDisk(int sizeMiB, Deadline deadline) {
        changing(deadline, () -> {
            if (state() != VmState.RUNNING) {
                throw new VmStateException(id, state(), "have its disk grown");
            }
            life.run().orElseThrow().growDisk(sizeMiB, deadline);
            life.live("have its disk grown").growDisk((long) sizeMiB << 20, deadline);
        });
    }

    @Override
    public VmExit stop(Duration grace, Deadline deadline) {
        Optional<VmExit> known = life.alreadyEnded("be stopped");
        if (known.isPresent()) {
            return known.get();
        }
        if (state() == VmState.RUNNING) {
            try {
                Deadline patience = deadline.orAfter(grace.plus(SYNC_ALLOWANCE));
                GuestConnection guest = life.live("be stopped");
                life.run().ifPresent(Run::stopAsked);
                guest.shutdown(grace, patience);
                return Waiting.on(life.exit(), patience, "the guest's shutdown");
            } catch (VmDeadlineException
                    | VmStateException
                    | GuestConnectionLostException
                    | GuestProtocolException
                    | GuestRefusedException
                    | VmBusyException askedInVain) {
                log("VM " + id + " is killed, because it does not stop", askedInVain);
            }
        }
        return killPatiently();
    }

    private VmExit killPatiently() {
        return kill(Deadline.after(Boot.KILL_ALLOWANCE));
    }

    @Override
    public VmExit kill(Deadline deadline) {
        Optional<VmExit> known = life.alreadyEnded("be killed");
        if (known.isPresent()) {
            return known.get();
        }
        life.run().ifPresent(Run::kill);
        return Waiting.on(life.exit(), deadline, "the end of VM " + id);
    }

    @Override
    public VmExit awaitExit(Deadline deadline) {
        return life.alreadyEnded("be waited for")
                .orElseGet(() -> Waiting.on(life.exit(), deadline, "the end of VM " + id));
    }

    @Override
    public void detach() {
        life.live("be detached");
        if (!owned()) {
            throw new VmStateException(id, state(), "be detached by a process that does not own it");
        }
        life.run().ifPresent(Run::detach);
        attached = false;
    }

    @Override
    public void destroy() {
        if (!owned()) {
            throw new VmStateException(id, state(), "be destroyed by a process that does not own it");
        }
        if (!changing.tryLock()) {
            throw new VmStateException(id, state(), "be destroyed while something else is done with it");
        }
        try {
            if (state() == VmState.DESTROYED) {
                return;
            }
            life.require(VmTransition.DESTROYED, "be destroyed");
            machine.destroy();
            life.move(VmTransition.DESTROYED);
        } finally {
            changing.unlock();
        }
    }

    @Override
    public void close() {
        if (!life.close()) {
            return;
        }
        try {
            boolean mine = owned() && attached && !life.exit().isDone();
            Optional<Run> running = life.run();
            if (mine && running.isPresent()) {
                running.get().kill();
                if (state().live()) {
                    Waiting.on(life.exit(), Deadline.after(Boot.KILL_ALLOWANCE), "the end of VM " + id);
                }
            }
        } finally {
            letGo();
            machine.release();
            onClose.accept(this);
        }
    }

    private void letGo() {
        life.guest().ifPresent(GuestConnection::close);
        life.run().ifPresent(Run::close);
    }

    private static void log(String what, Throwable why) {
        System.getLogger(Vm.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }
}
