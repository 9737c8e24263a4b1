package dev.cloche.vm;

import java.util.Optional;

/** A copy ended before it was complete. The cause says why, and has the same code. */
public final class CopyException extends VmException {
    private final CopyReport copied;

    CopyException(String destination, CopyReport copied, VmException cause) {
        super(
                cause.code(),
                Optional.ofNullable(cause.getMessage()).orElse("") + ". The copy to '" + Printable.of(destination)
                        + "' is not complete: " + copied.entries()
                        + (copied.entries() == 1 ? " entry is" : " entries are")
                        + " left there, each of them whole",
                cause.remedy(),
                cause);
        this.copied = copied;
    }

    /** What is left at the destination. */
    public CopyReport copied() {
        return copied;
    }
}
