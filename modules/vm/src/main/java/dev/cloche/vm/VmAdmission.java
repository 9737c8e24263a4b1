package dev.cloche.vm;

import java.time.Duration;
import java.util.Set;

/**
 * Says how a VM is counted by the host's limits, and how long it waits for room.
 *
 * @param labels {@code KEY=VALUE}, by which {@link VmLimits#labels()} finds it
 * @param patience how long its making waits while there is no room for it; not negative
 */
public record VmAdmission(Set<String> labels, Duration patience) {
    /** Has no labels, and does not wait. */
    public static final VmAdmission NONE = new VmAdmission(Set.of(), Duration.ZERO);

    /** @throws VmException.Invalid if the patience is negative */
    public VmAdmission {
        labels = Set.copyOf(labels);
        if (patience.isNegative()) {
            throw new VmException.Invalid("A VM cannot wait for room for " + patience, "Give zero or more.");
        }
    }
}
