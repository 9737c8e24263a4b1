package dev.cloche.pool;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmSpec;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Says how the VMs of a key are made and kept.
 *
 * @param snapshot what they are restored from
 * @param depth how many are kept
 * @param maxAge after which the guard of an unused one ends it; entries are replaced at 75 to 95 % of it
 * @param outputLogBytes how much of a main execution's output is kept, see {@link VmSpec#outputLogBytes}
 * @param preparation what is done in each before it is shelved
 * @param keeps whether this process keeps the shelf at its depth; otherwise it takes what lies there, and makes VMs
 *     only for waiters
 */
public record Registration(
        SnapshotRef snapshot,
        DepthPolicy depth,
        Duration maxAge,
        OptionalLong outputLogBytes,
        Preparation preparation,
        boolean keeps) {
    /** Is the age after which an unused VM is ended, unless something else was asked for. */
    public static final Duration DEFAULT_MAX_AGE = Duration.ofMinutes(10);

    /** @throws PoolException.Invalid if a value is outside of its range */
    public Registration {
        PoolConfig.positive("longest age", maxAge);
    }

    /**
     * Returns a registration with the usual depth and age, kept by this process, without a log or a preparation of its
     * own.
     */
    public static Registration of(SnapshotRef snapshot) {
        return new Registration(
                snapshot, DepthPolicy.DEFAULT, DEFAULT_MAX_AGE, OptionalLong.empty(), Preparation.NONE, true);
    }

    public Registration withDepth(DepthPolicy value) {
        return new Registration(snapshot, value, maxAge, outputLogBytes, preparation, keeps);
    }

    public Registration withMaxAge(Duration value) {
        return new Registration(snapshot, depth, value, outputLogBytes, preparation, keeps);
    }

    public Registration withOutputLogBytes(long value) {
        return new Registration(snapshot, depth, maxAge, OptionalLong.of(value), preparation, keeps);
    }

    public Registration withPreparation(Preparation value) {
        return new Registration(snapshot, depth, maxAge, outputLogBytes, value, keeps);
    }

    public Registration withKeeps(boolean value) {
        return new Registration(snapshot, depth, maxAge, outputLogBytes, preparation, value);
    }
}
