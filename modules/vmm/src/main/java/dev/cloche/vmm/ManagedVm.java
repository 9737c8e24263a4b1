package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestNetwork;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.TakenSnapshot;
import dev.cloche.vm.UserNetwork;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vmm.channel.GuestConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Implements the handle of a VM over any backend: what its owner or a client may do with it, and how it is ended. */
public final class ManagedVm implements Vm {
    private final VmId id;
    private final VmBackend backend;
    private final HandleRole ownership;
    private final Consumer<Vm> onClose;

    private final StateChangeLock changes;
    private final VmHandleState life;
    private final VmStart start;
    private final SnapshotTaker snapshots;
    private final VmTermination termination;
    private volatile boolean attached;

    private ManagedVm(
            VmId id,
            VmBackend backend,
            BootPolicy policy,
            HandleRole ownership,
            Optional<SnapshotRef> snapshot,
            Optional<GuestNetwork> network,
            Consumer<Vm> onClose) {
        this.id = id;
        this.backend = backend;
        this.ownership = ownership;
        this.onClose = onClose;
        GuestIdentities identities = new GuestIdentities(id, backend, snapshot.isPresent(), network);
        changes = new StateChangeLock(id);
        life = new VmHandleState(id);
        start = new VmStart(id, backend, policy, life, changes, identities, snapshot);
        snapshots = new SnapshotTaker(id, backend, life, identities);
        termination = new VmTermination(id, life);
        attached = ownership == HandleRole.ATTACHED || ownership == HandleRole.TEMPLATE_MAKER;
    }

    private static Optional<GuestNetwork> network(VmSpec spec) {
        return spec.network() instanceof NetworkSpec.User user
                ? Optional.of(UserNetwork.of(spec.id(), user))
                : Optional.empty();
    }

    /** Makes a new VM of this process. */
    public static ManagedVm created(VmSpec spec, VmBackend backend, BootPolicy policy, Consumer<Vm> onClose) {
        return new ManagedVm(
                spec.id(),
                backend,
                policy,
                HandleRole.of(spec, spec.attached()),
                spec.snapshot(),
                network(spec),
                onClose);
    }

    /** Makes a client of a VM that runs already, and waits for the guest's hello. Closes the run if that fails. */
    public static ManagedVm connected(VmId id, RunningVm run, Consumer<Vm> onClose, Deadline deadline) {
        ManagedVm vm = new ManagedVm(
                id,
                new ClientVmBackend(),
                BootPolicy.DEFAULT,
                HandleRole.NONE,
                Optional.empty(),
                Optional.empty(),
                onClose);
        vm.start.join(run, FoundGuest.RUNNING, deadline);
        return vm;
    }

    /**
     * Makes the new owner of a VM that runs already, and waits for the guest's hello unless it is halted. Closes the run if
     * that fails.
     */
    public static ManagedVm adopted(
            VmSpec spec,
            VmBackend backend,
            RunningVm run,
            boolean attached,
            FoundGuest found,
            Consumer<Vm> onClose,
            Deadline deadline) {
        ManagedVm vm = new ManagedVm(
                spec.id(),
                backend,
                BootPolicy.DEFAULT,
                HandleRole.of(spec, attached),
                spec.snapshot(),
                network(spec),
                onClose);
        vm.start.join(run, found, deadline);
        try {
            vm.snapshots.recover(deadline);
            if (!spec.throttle().isNone()) {
                // A process that was about to suspend or stop it may have died.
                vm.life.enforceThrottle(true, deadline);
            }
        } catch (RuntimeException e) {
            vm.letGo();
            throw e;
        }
        return vm;
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
        return ownership != HandleRole.NONE;
    }

    private void requireOwner(String wanted) {
        if (!owned()) {
            throw new VmException.WrongState(id, state(), wanted + " by a process that does not own it");
        }
    }

    @Override
    public void start(Deadline deadline) {
        start.boot(deadline);
    }

    @Override
    public void start(Supplier<GuestIdentity> identity, Deadline deadline) {
        start.boot(identity, deadline);
    }

    @Override
    public void prepare(Deadline deadline) {
        start.prepare(deadline);
    }

    @Override
    public void prepare(Consumer<Guest> exercise, Deadline deadline) {
        start.prepare(exercise, deadline);
    }

    @Override
    public void load(Deadline deadline) {
        start.load(deadline);
    }

    @Override
    public void pause(Deadline deadline) {
        start.pause(deadline);
    }

    @Override
    public void resume(Deadline deadline) {
        start.resume(deadline);
    }

    @Override
    public void resume(Supplier<GuestIdentity> identity, Runnable meanwhile, Deadline deadline) {
        start.resume(identity, meanwhile, deadline);
    }

    @Override
    public Optional<VmException.Hindered> hindrance() {
        return life.run().flatMap(RunningVm::hindrance).map(why -> new VmException.Hindered(id, why));
    }

    @Override
    public Guest guest() {
        return life.live("speak to its guest");
    }

    @Override
    public TakenSnapshot take(SnapshotName name, Deadline deadline) {
        requireOwner("be snapshot");
        return changes.result(
                deadline,
                () -> ownership == HandleRole.TEMPLATE_MAKER
                        ? snapshots.ofMaker(name, termination::killPatiently, deadline)
                        : snapshots.ofOneThatGoesOn(name, deadline));
    }

    @Override
    public SnapshotRef suspend(SnapshotName name, Deadline deadline) {
        return suspend(name, Optional.empty(), deadline);
    }

    @Override
    public SnapshotRef suspend(SnapshotName name, Consumer<SnapshotRef> kept, Deadline deadline) {
        return suspend(name, Optional.of(kept), deadline);
    }

    private SnapshotRef suspend(SnapshotName name, Optional<Consumer<SnapshotRef>> kept, Deadline deadline) {
        requireOwner("be suspended");
        if (ownership == HandleRole.TEMPLATE_MAKER) {
            throw new VmException.WrongState(id, state(), "be suspended, because it makes a template");
        }
        return changes.result(
                deadline, () -> snapshots.ofOneThatEnds(name, kept, termination::killPatiently, deadline));
    }

    @Override
    public void growDisk(int sizeMiB, Deadline deadline) {
        changes.next(deadline, () -> {
            if (state() != VmState.RUNNING) {
                throw new VmException.WrongState(id, state(), "have its disk grown");
            }
            life.run().orElseThrow().growDisk(sizeMiB, deadline);
            life.live("have its disk grown").growDisk((long) sizeMiB << 20, deadline);
        });
    }

    @Override
    public VmExit stop(Duration grace, Deadline deadline) {
        return termination.stop(grace, deadline);
    }

    @Override
    public VmExit kill(Deadline deadline) {
        return termination.kill(deadline);
    }

    @Override
    public VmExit awaitExit(Deadline deadline) {
        return termination.await(deadline);
    }

    @Override
    public void shelve() {
        pooling("be shelved", backend::shelve);
        attached = false;
    }

    @Override
    public void claim() {
        pooling("be claimed", backend::claim);
        attached = true;
    }

    private void pooling(String wanted, BooleanSupplier how) {
        changes.next(Deadline.after(VmBoot.KILL_ALLOWANCE), () -> {
            if (!owned() || state() != VmState.PAUSED || !how.getAsBoolean()) {
                throw new VmException.WrongState(id, state(), wanted);
            }
        });
    }

    @Override
    public void limit(Duration longest) {
        VmSpec.requireWithin("maximum duration", longest);
        changes.next(Deadline.after(VmBoot.KILL_ALLOWANCE), () -> {
            if (!owned() || !state().live() || !backend.limit(longest)) {
                throw new VmException.WrongState(id, state(), "be given a limit");
            }
        });
    }

    @Override
    public void detach() {
        life.live("be detached");
        requireOwner("be detached");
        life.run().ifPresent(RunningVm::detach);
        attached = false;
    }

    @Override
    public void destroy() {
        requireOwner("be destroyed");
        changes.now(this::state, "be destroyed", () -> {
            if (state() != VmState.DESTROYED) {
                life.require(VmTransition.DESTROYED, "be destroyed");
                backend.destroy();
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
            Optional<RunningVm> running = life.run();
            if (mine && running.isPresent()) {
                running.get().kill();
                if (state().live()) {
                    VmWaits.on(life.exit(), Deadline.after(VmBoot.KILL_ALLOWANCE), "the end of VM " + id);
                }
            }
        } finally {
            letGo();
            backend.release();
            onClose.accept(this);
        }
    }

    private void letGo() {
        life.guest().ifPresent(GuestConnection::close);
        life.run().ifPresent(RunningVm::close);
    }
}
