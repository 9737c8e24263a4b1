package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.vm.Vm;
import java.util.Optional;
import java.util.function.LongFunction;

/** Suspends a sandbox on behalf of its owner. */
@FunctionalInterface
public interface Suspending {
    /**
     * Suspends a sandbox; if that fails, it goes on.
     *
     * @param renewed whether it has its longest duration once more when it is resumed, because nothing is left of it
     * @param ownVms the VMs of the sandboxes that this process owns, by their rows' ids
     */
    void suspend(SandboxRecord sandbox, boolean renewed, LongFunction<Optional<Vm>> ownVms, Deadline deadline);
}
