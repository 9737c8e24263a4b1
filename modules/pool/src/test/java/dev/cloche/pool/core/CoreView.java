package dev.cloche.pool.core;

import dev.cloche.pool.StackKey;
import java.util.Map;
import java.util.stream.Stream;

/** Looks into a core, for what must be true of it after each step. */
public final class CoreView {
    private CoreView() {}

    public static Stream<PoolEntry> entries(PoolCore core) {
        return core.state.entries();
    }

    /** Counts all pool entries and what is to become one, those of other processes too, as far as is known. */
    public static int vmsOnHost(PoolCore core) {
        return core.state.vmsInUse() + core.state.foreign.vms();
    }

    public static Map<StackKey, KeyBucket> buckets(PoolCore core) {
        return core.state.buckets;
    }
}
