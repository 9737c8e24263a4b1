package dev.cloche.machine;

import dev.cloche.base.EnumNames;
import java.util.Optional;

/** Says the state of a machine as its file has it. */
public enum DiskState {
    CREATED,
    RUNNING,
    STOPPED,
    SUSPENDED;

    /** Returns the word in the file: {@code created}, {@code running}, {@code stopped} or {@code suspended}. */
    public String word() {
        return EnumNames.of(this);
    }

    public static Optional<DiskState> of(String word) {
        for (DiskState state : values()) {
            if (state.word().equals(word)) {
                return Optional.of(state);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the state of a machine whose file was just read. The process that wrote {@code running} may be gone, so the machine
     * counts as stopped until its VM is found.
     */
    public MachineState reloaded() {
        return switch (this) {
            case CREATED -> MachineState.CREATED;
            case RUNNING, STOPPED -> MachineState.STOPPED;
            case SUSPENDED -> MachineState.SUSPENDED;
        };
    }

    /** Returns whether a machine whose file says this was interrupted, so that its VM has to be looked for. */
    public boolean needsRecovery() {
        return this == RUNNING;
    }
}
