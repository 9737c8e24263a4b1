package dev.cloche.machine;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * What has become of a machine.
 *
 * @param ipAddress of its guest, while that has one
 * @param startedAt when it was last started, to the millisecond
 * @param provisionedAt when its provisioning script has run to its end, to the millisecond
 * @param lastError why it failed last; gone with its next start
 */
public record MachineStatus(
        DiskState state,
        Optional<String> ipAddress,
        Optional<Instant> startedAt,
        Optional<Instant> provisionedAt,
        Optional<String> lastError) {
    static final MachineStatus NEW = new MachineStatus(
            DiskState.CREATED, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public MachineStatus {
        startedAt = startedAt.map(time -> time.truncatedTo(ChronoUnit.MILLIS));
        provisionedAt = provisionedAt.map(time -> time.truncatedTo(ChronoUnit.MILLIS));
    }

    public MachineStatus withState(DiskState value) {
        return new MachineStatus(value, ipAddress, startedAt, provisionedAt, lastError);
    }

    public MachineStatus withIpAddress(Optional<String> value) {
        return new MachineStatus(state, value, startedAt, provisionedAt, lastError);
    }

    public MachineStatus withStartedAt(Optional<Instant> value) {
        return new MachineStatus(state, ipAddress, value, provisionedAt, lastError);
    }

    public MachineStatus withProvisionedAt(Optional<Instant> value) {
        return new MachineStatus(state, ipAddress, startedAt, value, lastError);
    }

    public MachineStatus withLastError(Optional<String> value) {
        return new MachineStatus(state, ipAddress, startedAt, provisionedAt, value);
    }
}
