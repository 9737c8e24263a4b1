package dev.cloche.image.registry;

import java.io.IOException;

/** A file or helper that should know a login does not answer. Its message is part of a sentence and has no secret. */
public final class LoginsUnreadable extends IOException {
    private static final long serialVersionUID = 1;

    LoginsUnreadable(String why) {
        super(why);
    }
}
