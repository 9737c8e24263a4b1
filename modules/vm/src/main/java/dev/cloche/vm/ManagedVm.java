package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The handle of a VM, whatever runs it: what its owner or a client may do with it, and how it is ended.
 */
final class ManagedVm implements Vm {
    private final VmId id;
    private final Machine machine;
    private final BootPolicy policy;
    private final Ownership ownership;
    private final Identities identities;
    private final Consumer<Vm> onClose;

    private final Changes changes;
    private final VmLife life;
    private final SnapshotTaker snapshots;
    private final VmEnd end;
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
        changes = new Changes(id);
        life = new VmLife(id);
        snapshots = new SnapshotTaker(id, machine, life, identities);
        end = new VmEnd(id, life);
        attached = ownership == Ownership.ATTACHED || ownership == Ownership.TEMPLATE_MAKER;
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

    @Override
    public void prepare(Consumer<Guest> exercise, Deadline deadline) {
        starting((guest, soon) -> identities.give(Optional.empty(), guest, soon), deadline);
        exercise.accept(guest());
        changes.next(deadline, () -> {
            life.require(VmTransition.PAUSED, "be prepared");
            identities.quiesce(life.live("be prepared"), deadline);
            life.halt(deadline);
        });
    }

    private void starting(BiConsumer<GuestConnection, Deadline> greeted, Deadline deadline) {
        changes.now(this::state, "be started", () -> {
            life.require(VmTransition.STARTED, "be started");
            new Boot(id, machine, policy, life, greeted).run(deadline);
        });
    }

    @Override
    public Guest guest() {
        return life.live("speak to its guest");
    }

    @Override
    public void pause(Deadline deadline) {
        changes.next(deadline, () -> {
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
        changes.next(deadline, () -> {
            life.require(VmTransition.RESUMED, "be resumed");
            life.goOn(deadline);
            GuestConnection guest = life.live("be resumed");
            // One that was adopted while it was paused has not been greeted yet.
            var _ = Waiting.on(guest.ready(), deadline, "the guest's hello");
            greeted.accept(guest, deadline);
        });
    }

    @Override
    public TakenSnapshot take(SnapshotName name, Deadline deadline) {
        if (!owned()) {
            throw new VmStateException(id, state(), "be snapshot by a process that does not own it");
        }
        return changes.result(
                deadline,
                () -> ownership == Ownership.TEMPLATE_MAKER
                        ? snapshots.ofMaker(name, end::killPatiently, deadline)
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
        return changes.result(deadline, () -> snapshots.ofOneThatEnds(name, end::killPatiently, deadline));
    }

    @Override
    public void growDisk(int sizeMiB, Deadline deadline) {
        changes.next(deadline, () -> {
            if (state() != VmState.RUNNING) {
                throw new VmStateException(id, state(), "have its disk grown");
            }
            life.run().orElseThrow().growDisk(sizeMiB, deadline);
            life.live("have its disk grown").growDisk((long) sizeMiB << 20, deadline);
        });
    }

    @Override
    public VmExit stop(Duration grace, Deadline deadline) {
        return end.stop(grace, deadline);
    }

    @Override
    public VmExit kill(Deadline deadline) {
        return end.kill(deadline);
    }

    @Override
    public VmExit awaitExit(Deadline deadline) {
        return end.await(deadline);
    }

    @Override
    public void shelve() {
        pooling("be shelved", machine::shelve);
        attached = false;
    }

    @Override
    public void claim() {
        pooling("be claimed", machine::claim);
        attached = true;
    }

    private void pooling(String wanted, BooleanSupplier how) {
        changes.next(Deadline.after(Boot.KILL_ALLOWANCE), () -> {
            if (!owned() || state() != VmState.PAUSED || !how.getAsBoolean()) {
                throw new VmStateException(id, state(), wanted);
            }
        });
    }

    @Override
    public void limit(Duration longest) {
        VmSpec.requireWithin("maximum duration", longest);
        changes.next(Deadline.after(Boot.KILL_ALLOWANCE), () -> {
            if (!owned() || !state().live() || !machine.limit(longest)) {
                throw new VmStateException(id, state(), "be given a limit");
            }
        });
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
        changes.now(this::state, "be destroyed", () -> {
            if (state() != VmState.DESTROYED) {
                life.require(VmTransition.DESTROYED, "be destroyed");
                machine.destroy();
                life.move(VmTransition.DESTROYED);
            }
        });
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
}
