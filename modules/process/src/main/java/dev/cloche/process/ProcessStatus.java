package dev.cloche.process;

import dev.cloche.base.EnumNames;

/** Says where a process is in its life: it runs, and then it has ended in one of four ways, for good. */
public enum ProcessStatus {
    RUNNING,
    COMPLETED,
    FAILED,
    CANCELLED,
    /** Its owner was lost and no worker may run it again, or its attempts are used up. Only the registry itself says so. */
    ABANDONED;

    /** Returns whether it has ended. */
    public boolean terminal() {
        return this != RUNNING;
    }

    /** Returns it in lower case, as it is stored and printed. */
    public String word() {
        return EnumNames.of(this);
    }

    /** Returns the inverse of {@link #word}. */
    public static ProcessStatus ofWord(String word) {
        for (ProcessStatus status : values()) {
            if (status.word().equals(word)) {
                return status;
            }
        }
        throw new ProcessException.Invalid("there is no status \"" + word + "\"");
    }
}
