package dev.cloche.sandbox.warm;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.Registration;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.vm.SnapshotRef;

/** Makes of what is recorded of a pool how its VMs are made and kept. */
final class PoolRegistrations {
    private PoolRegistrations() {}

    static Registration of(PoolRow row, SnapshotRef snapshot) {
        return Registration.of(snapshot)
                .withDepth(DepthPolicy.of(row.depth()))
                .withMaxAge(row.maxAge())
                .withOutputLogBytes(TemplateStore.LOG_BYTES);
    }
}
