package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Makes VMs. Safe for use from several threads; no call holds a lock of the whole provider while it waits.
 *
 * <p>Every call may throw {@link VmException.Storage} where the state root fails, {@link VmException.Deadline} when its
 * deadline passes and {@link VmException.Interrupted} when its thread is interrupted.
 */
public interface VmProvider extends VmQuery, AutoCloseable {
    /**
     * Makes a VM that does not run yet. This process owns it until it closes the handle.
     *
     * @throws VmException.Exists if there is a VM of that id
     * @throws VmException.Invalid if this provider cannot do what the spec asks for
     * @throws VmException.NoRoom if the host's limits leave no room for it, also after the patience of its admission
     */
    Vm create(VmSpec spec);

    /**
     * Refuses what the host's limits never leave room for; does nothing about what others have at present.
     *
     * @param diskMiB what its writable disk may grow to, 0 without one
     * @throws VmException.NoRoom if it does not fit into the limits alone
     */
    default void requirePossible(int memoryMiB, int cpus, int diskMiB, VmAdmission admission) {}

    /**
     * Refuses what is about to take much of the disk, where less than {@link VmLimits#diskFloor()} is free on it, or the state
     * root takes more of it than {@link VmLimits#stateDisk()}, by the last {@linkplain #countStateDisk count}.
     *
     * @throws VmException.NoRoom if that is so
     */
    default void requireDiskRoom() {}

    /**
     * Counts what the state root takes of its disk, for all processes that start VMs on it. That is to be done now and then, and
     * after much was removed. Nothing happens where {@link VmLimits#stateDisk()} bounds nothing. Reads all directories of the
     * state root. Where this fails, the former count stays.
     */
    default void countStateDisk(Deadline deadline) {}

    /**
     * Says of what memory the host is short, where a process that keeps pools is to give theirs back then ({@link
     * VmLimits.UnderPressure#RETIRE_POOLS}): which is more than is allowed to be waited for, or less than is to be left.
     *
     * @return part of a sentence; empty where there is enough, or nothing is to be done about it
     * @throws VmException.MissingResource if the host does not say how much memory it has
     */
    default Optional<String> memoryShortage() {
        return Optional.empty();
    }

    /**
     * Counts an entry of a warm pool as what it is about to become, for the process that takes it. It does not wait.
     *
     * @throws VmException.NoRoom if the host's limits leave no room for that; it is counted as before
     * @throws VmException.NotFound if there is none of that id
     */
    default void admit(VmId entry, VmAdmission admission) {}

    /**
     * Makes a VM for a warm pool, to be {@linkplain Vm#prepare prepared} and {@linkplain Vm#shelve shelved}. Up to then it is
     * as any other attached VM. Adopting a shelved one gives it an owner and leaves it in its pool.
     *
     * @throws VmException.Exists if there is a VM of that id
     * @throws VmException.Invalid if this provider cannot do what the spec asks for, or the spec is not attached
     * @throws VmException.NoRoom if the host's limits leave no room for it, or a process waits for some
     */
    Vm create(VmSpec spec, PoolSlot slot);

    /**
     * Makes a VM anew in the place of one of its id that has ended. What the main execution of that one wrote stays in the
     * output log, which goes on; all else of it goes.
     *
     * @throws VmException.WrongState if that one runs
     * @throws VmException.Busy if a process owns it
     */
    default Vm recreate(VmSpec spec) {
        destroy(spec.id());
        return create(spec);
    }

    /**
     * Ends and removes a pool entry that no process owns; nothing happens if it is gone.
     *
     * @return whether it is gone; false if a process owns it, or has claimed it
     */
    boolean reclaim(VmId id, Deadline deadline);

    /**
     * Ends and removes a pool entry that no process owns and none can use: it has ended, or was never finished. Nothing
     * happens if it is gone.
     *
     * @return whether it is gone; false also if it lies on its shelf by now
     */
    boolean reclaimOrphan(VmId id, Deadline deadline);

    /**
     * Connects to a running VM of another process through one of its seven client ports, or to one that this process
     * detached.
     *
     * @throws VmException.NotFound if there is none of that id
     * @throws VmException.WrongState if it does not run
     * @throws VmException.Busy if all client ports are taken
     * @throws GuestException.ConnectionLost if the VM ends meanwhile
     */
    Vm connect(VmId id, Deadline deadline);

    /**
     * Takes over a running VM that no living process owns: a detached one, or an attached one within the grace after the end
     * of its owner. The handle can do all that its first owner's could, and closing it does the same: it kills an attached
     * VM and lets go of a detached one.
     *
     * @throws VmException.NotFound if there is none of that id
     * @throws VmException.WrongState if it does not run
     * @throws VmException.Busy if a process owns it, or it is being ended because none does
     * @throws GuestException.ConnectionLost if the VM ends meanwhile
     */
    Vm adopt(VmId id, Deadline deadline);

    /**
     * Kills a VM, also one of another owner, and waits for its end. Of one that has ended already, this answers how.
     *
     * @throws VmException.NotFound if there is none of that id
     * @throws VmException.WrongState if it has never run
     */
    VmExit kill(VmId id, Deadline deadline);

    /**
     * Asks the guest of a running VM to end, also of another owner's VM, and kills it if it has not done so in time: after
     * {@code grace} and ten seconds for syncing, or at the deadline. One that does not even answer is killed after
     * {@code grace}, or ten seconds if that is less. Should this process die meanwhile, the VM ends all the same, soon
     * after.
     *
     * @param grace how long the guest's processes have between SIGTERM and SIGKILL
     * @throws VmException.WrongState if it does not run
     */
    default VmExit stop(VmId id, Duration grace, Deadline deadline) {
        return new VmStop(this, id, grace).run(deadline);
    }

    /**
     * Has a VM that is asked to end be ended when this has passed, even if this process is dead by then. Nothing happens if
     * it does not run.
     */
    default void endWithin(VmId id, Duration longest) {}

    /**
     * Does what {@link Vm#limit} does, also to another owner's VM: it ends when this has passed from now on, in place of any
     * longest duration that it has, also if no process but its guard is alive then.
     *
     * @param longest 1 ms to 3650 days
     * @throws VmException.NotFound if there is none of that id
     * @throws VmException.WrongState if it does not run, or its end was asked for, which this does not put off
     * @throws VmException.OlderGuard if the VM was started by a version whose guard may not know this
     * @throws VmException.Invalid if that is out of range
     */
    void limit(VmId id, Duration longest);

    /**
     * Has a VM be halted when it comes to its limit, in place of its end, also if no process but its guard is alive then: it is
     * {@link VmHindrance#HELD} until it is given another limit, with which it goes on. After 24 hours it is ended. Nothing
     * happens if it does not run.
     */
    default void haltAtLimit(VmId id) {}

    /**
     * Bounds what the guest of a running VM may ask of its writable disk, also of another owner's, and halted or not; {@link
     * VmQuery#spec} tells it from then on. A guest that is asked to end, or to be suspended, is not bound while it does so.
     *
     * @param throttle asked for when it is this call's turn, so that of several the last one asked is in force
     * @throws VmException.NotFound if there is none of that id
     * @throws VmException.WrongState if it does not run
     * @throws VmException.Invalid if it has no writable disk
     */
    void throttleDisk(VmId id, Supplier<WritableLayer.Throttle> throttle, Deadline deadline);

    /**
     * Has TCP ports of this host lead into the guest of a running VM, through the guest channel: it needs no network, and no
     * process but the VM's own stays. They are there until {@link #unpublish} or the end of the VM, and
     * {@link VmQuery#publishedPorts} tells them.
     *
     * @param ports of TCP; at most 64 of a VM
     * @return the same, with the ports of the host that they have got
     * @throws VmException.PortUnavailable if the host has one of them not free; none of them is there then
     * @throws VmException.OlderGuard if the VM was started by a version that could not do this
     * @throws VmException.WrongState if it does not run
     * @throws VmException.Invalid if one is not of TCP, there are too many, or this provider cannot do it
     */
    default List<PublishedPort> publish(VmId id, List<PublishedPort> ports, Deadline deadline) {
        throw new VmException.Invalid(
                "This provider publishes no ports of a VM that runs", "Forward them from a process that stays.");
    }

    /**
     * Takes such ports back; one that is not there does not matter. Connections over them go on.
     *
     * @param ports as {@link #publish} returned them
     * @throws VmException.WrongState if it does not run
     */
    default void unpublish(VmId id, List<PublishedPort> ports, Deadline deadline) {
        throw new VmException.Invalid(
                "This provider publishes no ports of a VM that runs", "Close what forwards them.");
    }

    /**
     * Halts the guest of a running VM, also of another owner's; nothing happens if it is halted. Its owner's handle does not
     * learn of it, and its clients wait for as long as it takes.
     *
     * @throws VmException.NotFound if there is none of that id
     * @throws VmException.WrongState if it does not run
     */
    void pause(VmId id, Deadline deadline);

    /** Continues a guest that was halted by {@link #pause}; nothing happens if it runs. Throws what that throws. */
    void resume(VmId id, Deadline deadline);

    /**
     * Removes what is left of a VM that does not run and that no process owns; nothing happens if it is gone.
     *
     * @throws VmException.WrongState if it runs
     * @throws VmException.Busy if a process owns it
     */
    void destroy(VmId id);

    /** Removes the {@link #straySockets()}. */
    default void removeStraySockets() {}

    /**
     * Names all that a snapshot of such a VM would depend on here: programs, kernel, agent, processor, devices, disks; not
     * the VM's id. Two specs of one fingerprint can continue each other's guests.
     *
     * @return 64 hexadecimal digits
     */
    String fingerprint(VmSpec spec);

    /**
     * Makes a snapshot of the same content under a second name: both have their own life, and share what takes room.
     *
     * @throws SnapshotException.NotFound if there is none of the first name
     * @throws SnapshotException.Damaged if it is not whole
     * @throws SnapshotException.Exists if there is one of the second name
     * @throws VmException.Storage if the disk of the state root fails or is full; nothing is left of the second one
     */
    SnapshotRef copySnapshot(SnapshotName from, SnapshotName to);

    /**
     * Deletes a snapshot, whole or damaged.
     *
     * @throws SnapshotException.NotFound if there is none of that name
     * @throws VmException.Busy if VMs run that map it, being restored from a template, or one is being restored from it now
     */
    void deleteSnapshot(SnapshotName name);

    /** Says whether VMs run that map a snapshot, so that it cannot be deleted; false if there is none of that name. */
    boolean isSnapshotMapped(SnapshotName name);

    /**
     * Returns what the main execution of a VM writes or wrote, if its specification asked for a log; otherwise an empty log.
     *
     * @throws VmException.NotFound if there is none of that id
     */
    OutputLog outputLog(VmId id);

    /** Returns the disks that outlive VMs. */
    PersistentDisks disks();

    /** Returns what this provider can do on this host. The first call may boot a tiny guest to find out. */
    VmCapabilities capabilities();

    /** Closes every handle that this provider gave out and that is still open, as {@link Vm#close()} does. */
    @Override
    void close();
}
