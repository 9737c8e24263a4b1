package dev.cloche.catalog;

import dev.cloche.base.FlightRecording;
import dev.cloche.base.Operation;
import dev.cloche.base.OperationWatch;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Describes how long a lease was held, from its acquisition until it was given back.
 *
 * @param kept whether it was held until then; another process may have it otherwise
 */
record LeaseTerm(String lease, String holder, boolean kept, Duration took, Optional<String> failure)
        implements Operation {
    /** Watches a lease that has just been taken. */
    static OperationWatch<LeaseTerm> begin() {
        return OperationWatch.recordedBy(FlightRecording.isAvailable() ? new JfrLease() : null);
    }

    /** Gives a lease back and tells of its term. */
    static boolean end(OperationWatch<LeaseTerm> watch, String lease, String holder, BooleanSupplier givingBack) {
        try {
            boolean kept = givingBack.getAsBoolean();
            watch.succeeded((took, failure) -> new LeaseTerm(lease, holder, kept, took, failure));
            return kept;
        } catch (RuntimeException lost) {
            watch.failed(lost, (took, failure) -> new LeaseTerm(lease, holder, false, took, failure));
            throw lost;
        }
    }
}
