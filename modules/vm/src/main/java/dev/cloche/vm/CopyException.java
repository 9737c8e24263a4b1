package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.util.Optional;

/**
 * A copy ended before it was complete. The cause says why, and has the same code. Left are whole files and links, and the
 * directories that they are in, some of which have only their owner's rights; no half of a file has its name.
 */
public final class CopyException extends VmException {
    private final CopyReport copied;

    public CopyException(String destination, CopyReport copied, VmException cause) {
        super(
                cause.code(),
                Optional.ofNullable(cause.getMessage()).orElse("") + ". So the copy to '" + Printable.of(destination)
                        + "' is not complete; whole in it: " + copied.entries(),
                cause.remedy(),
                cause);
        this.copied = copied;
    }

    /** What is left at the destination and whole. */
    public CopyReport copied() {
        return copied;
    }
}
