package dev.cloche.pool;

import dev.cloche.vm.VmId;
import java.time.Duration;

/** Tells what happened in a pool. */
public sealed interface PoolEvent {
    StackKey key();

    /** An entry is ready: the restore's own time, and the time since the need for it arose. */
    record Restored(StackKey key, VmId vm, Duration took, Duration lag) implements PoolEvent {}

    /** An entry that another process had made was found on its shelf. */
    record Adopted(StackKey key, VmId vm) implements PoolEvent {}

    /** A restore failed, with the code of the error, or its class, and the back-off until the next attempt. */
    record RestoreFailed(StackKey key, String code, String why, int inARow, Duration pause) implements PoolEvent {}

    /** Restores of a key fail again and again: no progress until something is mended. Told once. */
    record Stalled(StackKey key, String why, int inARow) implements PoolEvent {}

    /** A stalled key makes progress again. */
    record Recovered(StackKey key) implements PoolEvent {}

    /** A warm-up or health check of a new VM has ended; if not healthy, the VM is rejected. */
    record Checked(StackKey key, VmId vm, Duration took, boolean healthy) implements PoolEvent {}

    record Acquired(StackKey key, VmId vm, PoolStartKind kind, Duration took) implements PoolEvent {}

    record Evicted(StackKey key, VmId vm, Eviction cause) implements PoolEvent {}

    /** A VM could not be destroyed; it is tried again. */
    record Quarantined(StackKey key, VmId vm, String why) implements PoolEvent {}
}
