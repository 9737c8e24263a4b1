package dev.cloche.vmm.admission;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmId;
import java.util.List;

/** Finds the VMs whose claims count. Safe for use from several threads. */
public interface ClaimHolders {
    /** Returns the VMs that live, and those whose starter lives and has claimed. */
    List<Holder> find();

    /**
     * Ends an entry of a warm pool that no process owns, and waits for that.
     *
     * @return false if it was handed out meanwhile, or is gone
     */
    boolean retire(VmId entry, Deadline deadline);
}
