package dev.cloche.sandbox.warm;

import dev.cloche.sandbox.record.PoolStore;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;

/**
 * Decides whether a VM of a pool is a sandbox's or still the pool's. A start records the one that it has chosen, and
 * then claims it; between the two its death leaves a record of a VM that is the pool's, and soon perhaps another
 * sandbox's.
 */
public record PoolClaims(VmProvider vms, PoolStore pools) {
    /**
     * Says whether a recorded VM is that sandbox's own: it was made for it, or claimed. Asked in this order, because a
     * process that claims a VM has had it recorded as its own before; so what is recorded after it was claimed is true,
     * and stays so.
     */
    public boolean has(long sandbox, VmId vm) {
        return !vms.isPooled(vm) && pools.isOf(sandbox, vm);
    }
}
