package dev.cloche.process.postgres;

import dev.cloche.base.ClocheException;
import org.jspecify.annotations.Nullable;

/** Why a store cannot be opened. What goes wrong later is a {@link dev.cloche.process.ProcessException.StoreFailed}. */
public abstract sealed class PostgresException extends ClocheException {
    private PostgresException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** The configuration cannot be used. Code {@code process.postgres.refused}. */
    public static final class Refused extends PostgresException {
        Refused(String why) {
            super("process.postgres.refused", "This is no usable database: " + why + ".", "Correct it.", null);
        }
    }

    /** A newer program made the tables. Nothing was changed. Code {@code process.postgres.newer}. */
    public static final class Newer extends PostgresException {
        Newer(String schema, int found, int known) {
            super(
                    "process.postgres.newer",
                    "The tables in schema " + schema + " are of version " + found + "; this program knows " + known
                            + ".",
                    "Upgrade this program.",
                    null);
        }
    }

    /**
     * What the tables' history says does not fit this program. Nothing was changed. Code {@code process.postgres.history}.
     */
    public static final class History extends PostgresException {
        History(String schema, Throwable cause) {
            super(
                    "process.postgres.history",
                    "The tables in schema " + schema + " have a history that does not fit this program: "
                            + sentenceOf(cause) + ".",
                    "Use the program that made them, or restore a backup.",
                    cause);
        }
    }

    /** The server cannot be reached, or refuses. Code {@code process.postgres.unavailable}. */
    public static final class Unavailable extends PostgresException {
        Unavailable(PostgresConfig config, Throwable cause) {
            super(
                    "process.postgres.unavailable",
                    "The database " + config.url() + " cannot be opened: " + PostgresErrors.describe(cause) + ".",
                    "See that the server runs, and that user, password and rights are as configured.",
                    cause);
        }
    }
}
