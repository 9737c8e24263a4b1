package dev.cloche.pool;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * How a key's VMs are made.
 *
 * @param snapshot what they are restored from
 * @param depth how many are kept; absent for the pool's default
 * @param outputLogBytes how much of a main execution's output is kept, see {@link VmSpec#outputLogBytes}
 * @param cold how one is booted where none can be restored; absent for an error
 */
public record Registration(
        SnapshotRef snapshot,
        Optional<DepthPolicy> depth,
        OptionalLong outputLogBytes,
        Optional<Function<VmId, VmSpec>> cold) {
    /** With the pool's depth, without a log, and never cold. */
    public static Registration of(SnapshotRef snapshot) {
        return new Registration(snapshot, Optional.empty(), OptionalLong.empty(), Optional.empty());
    }

    public Registration withDepth(DepthPolicy value) {
        return new Registration(snapshot, Optional.of(value), outputLogBytes, cold);
    }

    public Registration withOutputLogBytes(long value) {
        return new Registration(snapshot, depth, OptionalLong.of(value), cold);
    }

    public Registration withCold(Function<VmId, VmSpec> value) {
        return new Registration(snapshot, depth, outputLogBytes, Optional.of(value));
    }
}
