package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Controls a VM as its owner, or as a client that is connected to it. Safe for use from several threads; of two that change
 * the state at once, the second waits for the first or gets a {@link VmException.WrongState}.
 *
 * <p>Blocking calls throw {@link VmException.Deadline} when their deadline passes and {@link VmException.Interrupted}
 * when their thread is interrupted.
 */
public interface Vm extends AutoCloseable {
    VmId id();

    VmState state();

    /**
     * Boots the VM, or restores it from its snapshot, and returns when its guest has said hello. A boot that hangs is killed
     * and tried again a few times.
     *
     * @throws VmException.WrongState if it is not {@link VmState#CREATED}
     * @throws VmException.StartFailed if no attempt succeeded; it holds the end of the guest's console
     * @throws VmException.LimitReached if its longest duration passed before it was up
     * @throws VmException.MissingResource if something that is needed is missing on this host
     * @throws SnapshotException.Mismatch if its snapshot would not run here
     * @throws SnapshotException.NotFound if its snapshot is gone, or was replaced
     * @throws SnapshotException.Damaged if its snapshot's files are not as they were written
     */
    void start(Deadline deadline);

    /**
     * Does what {@link #start(Deadline)} does, and the guest has its identity when this returns. A clone that is started
     * without one gets a fresh one, named after its VM.
     *
     * @param identity asked for when the guest can take it, so that its clock is right; a clone's needs entropy
     * @throws GuestException.Refused if the guest could not take it
     */
    void start(Supplier<GuestIdentity> identity, Deadline deadline);

    /**
     * Starts the VM and halts it, for use some time later. A clone has no identity of its own up to its next {@code resume},
     * which gives it one; its guest starts no program before.
     *
     * @throws VmException.WrongState if it is not {@link VmState#CREATED}
     * @throws VmException.StartFailed as {@link #start(Deadline)}
     */
    void prepare(Deadline deadline);

    /**
     * Does what {@link #prepare(Deadline)} does, but the guest has done something before: under emulation what was executed
     * once is translated, and much faster the next time.
     *
     * @param exercise uses the guest, which has a passing identity meanwhile; its exceptions are thrown on, and the VM runs
     *     then
     */
    void prepare(Consumer<Guest> exercise, Deadline deadline);

    /**
     * Restores the VM from its snapshot and leaves it halted: its guest does nothing before {@link #resume(Supplier, Deadline)},
     * of this process or of one that adopts the VM.
     *
     * @throws VmException.WrongState if it is not {@link VmState#CREATED}, or has no snapshot
     * @throws SnapshotException as {@link #start(Deadline)}
     */
    void load(Deadline deadline);

    /**
     * Returns why the VM does not work at present although it lives; empty if it does, as far as is known. Waits for a guest's
     * answers end with it; those for the end of a program do not, for the guest may go on.
     */
    Optional<VmException.Hindered> hindrance();

    /**
     * Returns the guest of a running or paused VM.
     *
     * @throws VmException.WrongState if it is neither
     */
    Guest guest();

    /**
     * Halts the guest in memory.
     *
     * @throws VmException.WrongState if it is not {@link VmState#RUNNING}
     */
    void pause(Deadline deadline);

    /**
     * Continues a halted guest.
     *
     * @throws VmException.WrongState if it is not {@link VmState#PAUSED}
     */
    void resume(Deadline deadline);

    /**
     * Continues a halted guest, and gives it an identity: what remains to be done for a prepared clone.
     *
     * @param identity as for {@link #start(Supplier, Deadline)}
     * @throws VmException.WrongState if it is not {@link VmState#PAUSED}
     */
    default void resume(Supplier<GuestIdentity> identity, Deadline deadline) {
        resume(identity, () -> {}, deadline);
    }

    /**
     * Does what {@link #resume(Supplier, Deadline)} does, and something else while the guest takes its identity.
     *
     * @param meanwhile done by this thread when the guest goes on and the identity is sent; its exceptions are thrown on, and the
     *     VM runs then
     */
    void resume(Supplier<GuestIdentity> identity, Runnable meanwhile, Deadline deadline);

    /**
     * Takes a snapshot of a running or paused VM and puts it into the store of its provider. A running guest is halted for as
     * long as its state is read, and goes on. The maker of a template has ended when this returns; its snapshot is {@link
     * SnapshotRef.Kind#MAPPED}, any other is {@link SnapshotRef.Kind#STREAMED}.
     *
     * @throws VmException.WrongState if it is neither, or belongs to another process
     * @throws SnapshotException.Exists if there is one of that name
     * @throws VmException.Hindered if its guest is halted because the host's disk has failed, or QEMU is silent
     * @throws VmException.Storage if the disk of the state root fails or is full; nothing is left of the snapshot, and the VM
     *     is what it was, unless it was a template's maker
     */
    TakenSnapshot take(SnapshotName name, Deadline deadline);

    /** Does what {@link #take} does, for a caller that does not care how long the guest was halted. */
    default SnapshotRef snapshot(SnapshotName name, Deadline deadline) {
        return take(name, deadline).ref();
    }

    /**
     * Takes a snapshot, and ends the VM with it: its guest does nothing after the moment that the snapshot is of. A
     * persistent disk is then as of the snapshot, flushed by the guest before, and {@link VmSpec#restored} continues both,
     * memory and disk; once a VM has used the disk since, it does so no more. If a step fails, the guest goes on. A
     * template's maker, whose end its snapshot is anyway, is not suspended.
     *
     * @param kept told when the snapshot is whole and the guest is still halted: by it the caller decides that the guest goes
     *     on from the snapshot and from nothing else. If it throws, the guest goes on here, and the snapshot is the caller's
     *     to delete
     * @throws VmException.WrongState if it has no guest, makes a template, or belongs to another process
     * @throws SnapshotException.Exists if there is one of that name
     * @throws VmException.Storage if the disk of the state root fails or is full; nothing is left of the snapshot
     */
    SnapshotRef suspend(SnapshotName name, Consumer<SnapshotRef> kept, Deadline deadline);

    /**
     * Does what {@link #suspend(SnapshotName, Consumer, Deadline)} does, for a caller that records it afterwards: should this
     * process die before the VM has ended, a process that adopts the VM has its guest go on.
     */
    SnapshotRef suspend(SnapshotName name, Deadline deadline);

    /**
     * Makes the persistent disk of a running VM larger, and its file system with it. Any process may ask for it.
     *
     * @param sizeMiB not less than it has
     * @throws VmException.WrongState if it does not run
     * @throws VmException.Invalid if it has no persistent disk, or the size is not one that the disk can grow to
     * @throws GuestException.Refused if the guest cannot grow its file system; it does so when it boots the next time
     */
    void growDisk(int sizeMiB, Deadline deadline);

    /**
     * Asks the guest to end its executions, sync and power off, and kills it if it has not done so in time: when
     * {@code grace} and ten seconds for syncing have passed, or {@code deadline} has. A paused VM is killed at once. Of a
     * VM that has ended already, this answers how.
     *
     * @param grace how long the guest's processes have between SIGTERM and SIGKILL
     * @throws VmException.WrongState if it has never run or is destroyed
     */
    VmExit stop(Duration grace, Deadline deadline);

    /**
     * Kills the VM without asking the guest. Of a VM that has ended already, this answers how.
     *
     * @throws VmException.WrongState if it has never run or is destroyed
     */
    VmExit kill(Deadline deadline);

    /**
     * Waits for the end.
     *
     * @throws VmException.WrongState if it has never run or is destroyed
     */
    VmExit awaitExit(Deadline deadline);

    /**
     * Puts a prepared VM into its pool: from now on it needs no owner, and its guard ends it at the age of its
     * {@link PoolSlot} unless it has been claimed. The handle stays usable; closing it lets go of the VM, for any process to
     * adopt.
     *
     * @throws VmException.WrongState if it is not {@link VmState#PAUSED}, was made for no pool, or belongs to another process
     */
    void shelve();

    /**
     * Takes the VM out of its pool for good: from now on it ends with its owner, as one that was never pooled, unless it is
     * detached. Its guest is still to be resumed with an identity.
     *
     * @throws VmException.WrongState if it is not shelved or not owned by this process, or its guard has retired it
     */
    void claim();

    /**
     * Ends the VM when this has passed from now on, even if no process of Cloche but its guard is alive then, in place of
     * any longest duration that it has.
     *
     * @param longest 1 ms to 3650 days
     * @throws VmException.WrongState if it does not run or is not paused, or belongs to another process
     * @throws VmException.Invalid if that is out of range
     */
    void limit(Duration longest);

    /**
     * Lets the VM outlive this process. The handle stays usable; closing it lets go of the VM.
     *
     * @throws VmException.WrongState if it does not run, or belongs to another process
     */
    void detach();

    /**
     * Removes the VM's directory. Nothing happens if that is done already.
     *
     * @throws VmException.WrongState if it runs, or belongs to another process
     */
    void destroy();

    /**
     * Kills an attached VM that still runs; a detached or connected one is only let go. Its files stay until it is
     * destroyed. Does not wait for the deadline of anything; closing twice does nothing.
     */
    @Override
    void close();
}
