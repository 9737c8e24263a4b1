package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.SandboxRecord;
import java.util.Optional;

/** Watches a sandbox on behalf of its owner: whether it is in use, and how near its deadline is. */
record OwnerWatches(Optional<IdleWatch> idle, Optional<DeadlineWatch> deadline) implements AutoCloseable {
    static OwnerWatches start(
            SandboxContext context, SandboxTerminator terminator, OwnerSuspension suspension, SandboxRecord record) {
        return new OwnerWatches(
                IdleWatch.start(context, terminator, suspension, record),
                DeadlineWatch.start(context, suspension, record));
    }

    @Override
    public void close() {
        idle.ifPresent(IdleWatch::close);
        deadline.ifPresent(DeadlineWatch::close);
    }
}
