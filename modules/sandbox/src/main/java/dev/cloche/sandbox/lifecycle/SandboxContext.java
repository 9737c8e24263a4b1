package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Operations;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageStore;
import dev.cloche.sandbox.directory.SandboxLocks;
import dev.cloche.sandbox.record.PoolStore;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.sandbox.warm.PoolClaims;
import dev.cloche.sandbox.warm.VmLauncher;
import dev.cloche.vm.VmProvider;
import java.time.Clock;

/** Says what sandboxes are recorded in and made of. */
public record SandboxContext(
        SandboxStore store,
        SandboxLocks locks,
        ImageStore images,
        VmProvider vms,
        Clock clock,
        VmLauncher launcher,
        Operations operations) {
    private static final String HOLDER_KIND = "sandbox";

    PoolStore pools() {
        return launcher.warm().store();
    }

    /** Returns the claims on VMs of pools. */
    PoolClaims claims() {
        return new PoolClaims(vms, pools());
    }

    /** Returns the holder of a sandbox's image. */
    public static ImageHolder holder(long id, String name) {
        return new ImageHolder(HOLDER_KIND, Long.toString(id), name);
    }
}
