package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.base.FlightRecording;
import dev.cloche.base.OperationWatch;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.PendingIdentity;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.channel.GuestConnection;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Starts a VM and continues it after a pause, and gives its guest its identity before any other caller speaks to it. Safe
 * for use from several threads.
 */
final class VmStart {
    private final VmId id;
    private final VmBackend backend;
    private final BootPolicy policy;
    private final VmHandleState life;
    private final StateChangeLock changes;
    private final GuestIdentities identities;
    private final Optional<SnapshotRef> snapshot;

    VmStart(
            VmId id,
            VmBackend backend,
            BootPolicy policy,
            VmHandleState life,
            StateChangeLock changes,
            GuestIdentities identities,
            Optional<SnapshotRef> snapshot) {
        this.id = id;
        this.backend = backend;
        this.policy = policy;
        this.life = life;
        this.changes = changes;
        this.identities = identities;
        this.snapshot = snapshot;
    }

    /** Goes on with a VM that runs already; waits for its guest's hello unless it is halted. Closes the run if that fails. */
    void join(RunningVm run, FoundGuest found, Deadline deadline) {
        GuestConnection connection =
                found == FoundGuest.AT_REST ? GuestConnection.openAtRest(id, run) : GuestConnection.open(id, run);
        try {
            if (!found.halted()) {
                connection.awaitReady(deadline);
                identities.settle(connection, deadline);
            }
        } catch (RuntimeException e) {
            connection.close();
            run.close();
            throw e;
        }
        life.running(run, connection);
        if (found.halted()) {
            life.move(VmTransition.PAUSED);
        }
    }

    /** Does what {@link Vm#start(Deadline)} promises. */
    void boot(Deadline deadline) {
        booting(identities::settle, deadline);
    }

    /** Does what {@link Vm#start(Supplier, Deadline)} promises. */
    void boot(Supplier<GuestIdentity> identity, Deadline deadline) {
        booting((guest, soon) -> identities.send(identity, guest, soon).await(), deadline);
    }

    /** Does what {@link Vm#prepare(Deadline)} promises. */
    void prepare(Deadline deadline) {
        booting((guest, soon) -> {}, deadline);
        pause(deadline);
    }

    /** Does what {@link Vm#prepare(Consumer, Deadline)} promises. */
    void prepare(Consumer<Guest> exercise, Deadline deadline) {
        booting(identities::giveFresh, deadline);
        exercise.accept(life.live("speak to its guest"));
        changes.next(deadline, () -> {
            life.require(VmTransition.PAUSED, "be prepared");
            identities.quiesce(life.live("be prepared"), deadline);
            life.halt(deadline);
        });
    }

    /** Does what {@link Vm#load} promises. */
    void load(Deadline deadline) {
        changes.now(life::state, "be loaded", () -> {
            life.require(VmTransition.STARTED, "be loaded");
            restore(this::loadOnce, snapshot.orElseThrow(this::noSnapshot), deadline);
        });
    }

    private VmException.WrongState noSnapshot() {
        return new VmException.WrongState(id, life.state(), "be loaded without a snapshot");
    }

    private void loadOnce(Deadline deadline) {
        try {
            RunningVm loaded = backend.load(deadline);
            GuestConnection connection = GuestConnection.open(id, loaded);
            try {
                life.booting(loaded);
            } catch (RuntimeException e) {
                connection.close();
                loaded.kill();
                loaded.close();
                throw e;
            }
            life.running(loaded, connection);
            life.move(VmTransition.PAUSED);
        } catch (VmException e) {
            backend.startFailed();
            life.startFailed();
            throw e;
        }
    }

    private void booting(BiConsumer<GuestConnection, Deadline> greeted, Deadline deadline) {
        changes.now(life::state, "be started", () -> {
            life.require(VmTransition.STARTED, "be started");
            VmBoot boot = new VmBoot(id, backend, policy, life, greeted);
            snapshot.ifPresentOrElse(from -> restore(boot::run, from, deadline), () -> boot.run(deadline));
        });
    }

    private void restore(Consumer<Deadline> way, SnapshotRef from, Deadline deadline) {
        OperationWatch<VmRestore> watch =
                OperationWatch.recordedBy(FlightRecording.isAvailable() ? new JfrRestore() : null);
        try {
            way.accept(deadline);
            watch.succeeded((took, failure) -> new VmRestore(id, from, took, failure));
        } catch (Throwable failed) {
            watch.failed(failed, (took, failure) -> new VmRestore(id, from, took, failure));
            throw failed;
        }
    }

    /** Does what {@link Vm#pause} promises. */
    void pause(Deadline deadline) {
        changes.next(deadline, () -> {
            life.require(VmTransition.PAUSED, "be paused");
            life.halt(deadline);
        });
    }

    /** Does what {@link Vm#resume(Deadline)} promises. */
    void resume(Deadline deadline) {
        changes.next(deadline, () -> {
            GuestConnection guest = goOn(deadline);
            // One that was adopted while it was paused has not been greeted yet.
            guest.awaitReady(deadline);
            identities.settle(guest, deadline);
        });
    }

    /** Does what {@link Vm#resume(Supplier, Runnable, Deadline)} promises. */
    void resume(Supplier<GuestIdentity> identity, Runnable meanwhile, Deadline deadline) {
        changes.next(deadline, () -> {
            GuestConnection guest = goOn(deadline);
            // Its agent was ready when it was halted, and reads in turn: the hello and the identity are one way, not
            // two.
            PendingIdentity sent = identities.send(identity, guest, deadline);
            meanwhile.run();
            guest.awaitReady(deadline);
            sent.await();
        });
    }

    private GuestConnection goOn(Deadline deadline) {
        life.require(VmTransition.RESUMED, "be resumed");
        life.goOn(deadline);
        return life.live("be resumed");
    }
}
