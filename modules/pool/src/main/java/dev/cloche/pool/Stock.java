package dev.cloche.pool;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmSpec;
import java.time.Duration;

/**
 * What shelves are to have of one key.
 *
 * @param snapshot what its VMs are restored from
 * @param depth how many, 1 to 1,024
 * @param maxAge after which an entry's guard ends it; entries are replaced at 75 to 95 % of it
 * @param outputLogBytes how much of a main execution's output is kept, see {@link VmSpec#outputLogBytes}
 */
public record Stock(StackKey key, SnapshotRef snapshot, int depth, Duration maxAge, long outputLogBytes) {
    /** @throws PoolException.Invalid if a value is outside of its range */
    public Stock {
        var _ = DepthPolicy.of(depth);
        PoolConfig.positive("longest age", maxAge);
    }

    Registration registration() {
        return Registration.of(snapshot).withOutputLogBytes(outputLogBytes);
    }
}
