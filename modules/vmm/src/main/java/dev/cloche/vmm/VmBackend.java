package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.Optional;

/** Boots, restores and captures one VM; the part of a provider below {@link ManagedVm}. Used by one thread at a time. */
public interface VmBackend {
    /**
     * Starts the VM from the beginning, with nothing left of earlier attempts. Does not wait for the guest.
     *
     * @throws VmException.StartFailed if it cannot be started
     * @throws VmException.MissingResource if something that is needed is missing
     */
    RunningVm boot(Deadline deadline);

    /**
     * Restores the VM, with nothing left of earlier attempts, and leaves its guest halted.
     *
     * @throws VmException.StartFailed if it cannot be started
     * @throws SnapshotException if its snapshot cannot be continued
     */
    RunningVm load(Deadline deadline);

    /**
     * Begins a snapshot of what runs.
     *
     * @throws SnapshotException.Exists if there is one of that name
     */
    SnapshotCapture capture(SnapshotName name, Deadline deadline);

    /** Notes whether the guest needs an identity before it may be used, for a process that adopts the VM. */
    void identityOwed(boolean owed);

    /** Returns what was noted last, by any process. */
    boolean identityOwed();

    /** Notes whether a guest that ran is halted for a snapshot, for a process that adopts the VM should this one die. */
    void capturing(boolean halted);

    /** Returns what was noted last, by any process. */
    boolean capturing();

    /** Lets the VM be without an owner from now on, until it is claimed; returns false if it was made for no pool. */
    boolean shelve();

    /** Takes the VM out of its pool; false if it is in none, or its guard did so before. */
    boolean claim();

    /** Has the VM ended when this has passed from now on; false if it has ended already. */
    boolean limit(Duration longest);

    /** Notes, for other processes, that no boot came up. */
    void startFailed();

    /** Returns the end of what the guest wrote to its console, harmless to show. */
    String consoleTail();

    /** Returns what is to be done where no boot comes up, if this host is known for it: a sentence. */
    Optional<String> advice();

    /** Looks whether files that VMs are made with are damaged, and mends them; returns whether another boot may succeed. */
    boolean mend();

    /**
     * Removes the VM's files.
     *
     * @throws VmException.Busy if another process owns the VM
     */
    void destroy();

    /** Lets go of the VM, for others to own. */
    void release();
}
