package dev.cloche.machine.config;

import dev.cloche.machine.BrokenMachine;
import java.util.OptionalInt;

/** A configuration cannot be used; the caller that knows its name and file makes a {@link BrokenMachine} of it. */
public final class DocumentException extends Exception {
    private final transient OptionalInt line;
    private final boolean newer;

    DocumentException(OptionalInt line, String reason, boolean newer) {
        super(reason);
        this.line = line;
        this.newer = newer;
    }

    OptionalInt line() {
        return line;
    }

    boolean newer() {
        return newer;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
