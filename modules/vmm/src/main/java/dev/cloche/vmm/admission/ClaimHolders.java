package dev.cloche.vmm.admission;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmId;
import java.util.List;

/** Finds the VMs whose claims count. Safe for use from several threads. */
public interface ClaimHolders {
    /**
     * Returns at least the VMs of {@link #find}, and at most those of which anything is there. Each clone counts as if all its memory
     * were its own, and no guard is named: so this is quick.
     */
    List<Holder> atMost();

    /**
     * Returns the VMs that live, and those whose starter lives and has claimed, with what each clone has of its own, and their guards.
     */
    List<Holder> find();

    /**
     * Ends an entry of a warm pool that no process owns, and waits for that.
     *
     * @return false if it was handed out meanwhile, or is gone
     */
    boolean retire(VmId entry, Deadline deadline);
}
