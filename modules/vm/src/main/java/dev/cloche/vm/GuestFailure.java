package dev.cloche.vm;

import java.util.Optional;

/** The failure codes of the guest protocol (docs/guest-protocol.md). */
public enum GuestFailure {
    BAD_REQUEST(1),
    UNSUPPORTED(2),
    COMMAND_NOT_FOUND(3),
    COMMAND_NOT_EXECUTABLE(4),
    BAD_WORKING_DIRECTORY(5),
    UNKNOWN_USER(6),
    UNKNOWN_GROUP(7),
    NO_SUCH_EXECUTION(8),
    OUT_OF_RESOURCES(9),
    INTERNAL(10),
    NEEDS_IDENTITY(11),
    FROZEN(12),
    BAD_LIMIT(13),
    STILL_RUNNING(14),
    /** An execution with this key is known still. */
    KEY_TAKEN(15),
    /** Nothing listens where a connection was to go. */
    CONNECTION_REFUSED(16);

    private final int code;

    GuestFailure(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    public static Optional<GuestFailure> of(int code) {
        return code >= 1 && code <= values().length ? Optional.of(values()[code - 1]) : Optional.empty();
    }
}
