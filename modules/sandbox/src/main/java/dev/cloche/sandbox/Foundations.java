package dev.cloche.sandbox;

import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageStore;
import dev.cloche.vm.VmProvider;
import java.time.Clock;

/** What sandboxes are recorded in and made of. */
record Foundations(
        SandboxStore store, SandboxLocks locks, ImageStore images, VmProvider vms, Clock clock, Beginnings beginnings) {
    private static final String HOLDER_KIND = "sandbox";

    PoolStore pools() {
        return beginnings.warm().store();
    }

    /** Whose VMs of pools are. */
    Tenancy tenancy() {
        return new Tenancy(vms, pools());
    }

    /** Who holds the image of a sandbox. */
    static ImageHolder holder(long id, String name) {
        return new ImageHolder(HOLDER_KIND, Long.toString(id), name);
    }
}
