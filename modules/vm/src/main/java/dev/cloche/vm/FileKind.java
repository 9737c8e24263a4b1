package dev.cloche.vm;

import java.util.Optional;

/** Says what a file is; the order is that of docs/guest-protocol.md. */
public enum FileKind {
    FILE(1),
    DIRECTORY(2),
    SYMBOLIC_LINK(3),
    FIFO(4),
    CHARACTER_DEVICE(5),
    BLOCK_DEVICE(6),
    SOCKET(7);

    private final int code;

    FileKind(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    public static Optional<FileKind> of(int code) {
        return code >= 1 && code <= values().length ? Optional.of(values()[code - 1]) : Optional.empty();
    }
}
