package dev.cloche.image.registry;

import dev.cloche.image.PullFailed;
import java.io.IOException;

/** A registry's answer is whole and wrong: asking again would not help. The message is part of a sentence. */
public final class InvalidResponse extends IOException {
    private static final long serialVersionUID = 1;

    private final PullFailed.Reason reason;

    InvalidResponse(PullFailed.Reason reason, String what) {
        super(what);
        this.reason = reason;
    }

    PullFailed.Reason reason() {
        return reason;
    }
}
