package dev.cloche.machine;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Says what has become of a machine.
 *
 * @param ipAddress of its guest, while that has one
 * @param startedAt when it was last started, to the millisecond
 * @param provisionedAt when its provisioning script has run to its end, to the millisecond
 * @param lastError why it failed last; gone with its next start
 * @param lastEnd how it came to rest last, if it was stopped or has powered off; gone with its next start
 */
public record MachineStatus(
        DiskState state,
        Optional<String> ipAddress,
        Optional<Instant> startedAt,
        Optional<Instant> provisionedAt,
        Optional<String> lastError,
        Optional<String> lastEnd) {
    public static final MachineStatus NEW = new MachineStatus(
            DiskState.CREATED,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    public MachineStatus {
        startedAt = startedAt.map(time -> time.truncatedTo(ChronoUnit.MILLIS));
        provisionedAt = provisionedAt.map(time -> time.truncatedTo(ChronoUnit.MILLIS));
    }

    public MachineStatus withState(DiskState value) {
        return new MachineStatus(value, ipAddress, startedAt, provisionedAt, lastError, lastEnd);
    }

    public MachineStatus withIpAddress(Optional<String> value) {
        return new MachineStatus(state, value, startedAt, provisionedAt, lastError, lastEnd);
    }

    public MachineStatus withStartedAt(Optional<Instant> value) {
        return new MachineStatus(state, ipAddress, value, provisionedAt, lastError, lastEnd);
    }

    public MachineStatus withProvisionedAt(Optional<Instant> value) {
        return new MachineStatus(state, ipAddress, startedAt, value, lastError, lastEnd);
    }

    public MachineStatus withLastError(Optional<String> value) {
        return new MachineStatus(state, ipAddress, startedAt, provisionedAt, value, lastEnd);
    }

    public MachineStatus withLastEnd(Optional<String> value) {
        return new MachineStatus(state, ipAddress, startedAt, provisionedAt, lastError, value);
    }

    /** Returns the status of a machine without a VM; how it came to that is still to be said. */
    public MachineStatus atRest() {
        return new MachineStatus(
                state, Optional.empty(), Optional.empty(), provisionedAt, Optional.empty(), Optional.empty());
    }
}
