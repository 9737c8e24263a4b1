package dev.cloche.pool;

import dev.cloche.vm.VmId;

/**
 * Judges an entry, whose guest is halted: after it was restored, now and then while it waits, and before it is handed out if
 * the last verdict is not recent. Called from several threads at once; an exception, and a verdict that takes too long,
 * count as unhealthy. Whether the VM still exists is asked in any case.
 */
@FunctionalInterface
public interface EntryValidator {
    Verdict validate(VmId vm);

    /** Whoever exists is healthy. */
    static EntryValidator none() {
        return Checks.NO_VALIDATOR;
    }
}
