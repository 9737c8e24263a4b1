package dev.cloche.machine;

import dev.cloche.base.EnumNames;
import dev.cloche.base.Printable;
import java.util.Set;

/** Says where a machine is in its life. The file knows fewer states: {@link #onDisk()}. */
public enum MachineState {
    /** It has never run. */
    CREATED,
    STARTING,
    /** Its guest is usable. */
    RUNNING,
    STOPPING,
    STOPPED,
    /** Its memory is on disk, and the next start continues from it. */
    SUSPENDED,
    /** A start failed, or its VM ended without a request; the file keeps why. */
    FAILED;

    /** Returns the word in lower case, for read-outs. */
    public String word() {
        return EnumNames.of(this);
    }

    /**
     * Returns the state of a word.
     *
     * @throws MachineException.Invalid if there is none
     */
    public static MachineState parse(String word) {
        for (MachineState state : values()) {
            if (state.word().equals(word)) {
                return state;
            }
        }
        throw new MachineException.Invalid(
                "\"" + Printable.brief(word) + "\" is no state of a machine.",
                "Use created, starting, running, stopping, stopped, suspended or failed.");
    }

    /** Returns what the file says of a machine in this state. */
    public DiskState onDisk() {
        return switch (this) {
            case CREATED -> DiskState.CREATED;
            case STARTING, RUNNING -> DiskState.RUNNING;
            case STOPPING, STOPPED, FAILED -> DiskState.STOPPED;
            case SUSPENDED -> DiskState.SUSPENDED;
        };
    }

    /** Returns the states that can follow this one. */
    public Set<MachineState> successors() {
        return switch (this) {
            case CREATED, STOPPED, FAILED -> Set.of(STARTING);
            case STARTING -> Set.of(RUNNING, FAILED, STOPPED);
            case RUNNING -> Set.of(STOPPING, STOPPED, SUSPENDED, FAILED);
            case STOPPING -> Set.of(STOPPED, FAILED);
            case SUSPENDED -> Set.of(STARTING, STOPPED);
        };
    }

    /** Returns whether it has a VM. */
    public boolean live() {
        return this == STARTING || this == RUNNING || this == STOPPING;
    }
}
