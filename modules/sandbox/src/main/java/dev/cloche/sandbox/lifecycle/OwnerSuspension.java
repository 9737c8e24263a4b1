package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.vm.Vm;
import java.util.Optional;
import java.util.function.LongFunction;

/** Suspends the sandboxes that this process owns, where their policy says so. */
record OwnerSuspension(Suspending suspending, LongFunction<Optional<Vm>> ownVms) {
    /** Suspends a sandbox as {@link Suspending} says; false if that fails, and it goes on. */
    boolean suspend(SandboxRecord record, boolean renewed) {
        try {
            suspending.suspend(record, renewed, ownVms, Deadline.none());
            return true;
        } catch (ClocheException failed) {
            System.getLogger(OwnerSuspension.class.getName())
                    .log(System.Logger.Level.WARNING, "sandbox " + record.name() + " is not suspended", failed);
            return false;
        }
    }
}
