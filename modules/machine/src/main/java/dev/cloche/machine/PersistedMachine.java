package dev.cloche.machine;

import dev.cloche.vm.VmId;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Describes a machine as its file has it. Every part but the name and the id of its VM has a default. Immutable.
 *
 * @param vmId its VM, the same at every start
 * @param createdAt to the millisecond
 */
public record PersistedMachine(
        MachineName name,
        VmId vmId,
        Instant createdAt,
        MachineResources resources,
        MachineOrigin origin,
        MachineSettings settings,
        UnsupportedKeys foreign,
        MachineStatus status) {
    /** The newest form of the file that this program reads, and the one that it writes. */
    public static final int SCHEMA_VERSION = 1;

    public PersistedMachine {
        createdAt = createdAt.truncatedTo(ChronoUnit.MILLIS);
    }

    /** Returns a machine that has never run, with defaults in all other parts. */
    public static PersistedMachine of(MachineName name, VmId vmId, Instant createdAt) {
        return new PersistedMachine(
                name,
                vmId,
                createdAt,
                MachineResources.DEFAULTS,
                MachineOrigin.UNKNOWN,
                MachineSettings.DEFAULTS,
                UnsupportedKeys.NONE,
                MachineStatus.NEW);
    }

    /** Returns whether its file says that it runs, so that a process that has just read it must look for its VM. */
    public boolean needsRecovery() {
        return status.state().needsRecovery();
    }

    public PersistedMachine withName(MachineName value) {
        return new PersistedMachine(value, vmId, createdAt, resources, origin, settings, foreign, status);
    }

    public PersistedMachine withVmId(VmId value) {
        return new PersistedMachine(name, value, createdAt, resources, origin, settings, foreign, status);
    }

    public PersistedMachine withResources(MachineResources value) {
        return new PersistedMachine(name, vmId, createdAt, value, origin, settings, foreign, status);
    }

    public PersistedMachine withOrigin(MachineOrigin value) {
        return new PersistedMachine(name, vmId, createdAt, resources, value, settings, foreign, status);
    }

    public PersistedMachine withSettings(MachineSettings value) {
        return new PersistedMachine(name, vmId, createdAt, resources, origin, value, foreign, status);
    }

    public PersistedMachine withForeign(UnsupportedKeys value) {
        return new PersistedMachine(name, vmId, createdAt, resources, origin, settings, value, status);
    }

    public PersistedMachine withStatus(MachineStatus value) {
        return new PersistedMachine(name, vmId, createdAt, resources, origin, settings, foreign, value);
    }
}
