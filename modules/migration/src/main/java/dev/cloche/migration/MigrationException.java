package dev.cloche.migration;

/** Why tables cannot be brought up to date. The caller says of which database. */
public abstract sealed class MigrationException extends Exception {
    private static final long serialVersionUID = 1;

    private MigrationException(String message) {
        super(message);
    }

    /** A newer program has migrated them. */
    public static final class Newer extends MigrationException {
        private static final long serialVersionUID = 1;
        private final int found;

        Newer(int found, int known) {
            super("it has version " + found + ", and this program knows up to " + known);
            this.found = found;
        }

        /** Returns the version that the tables have. */
        public int found() {
            return found;
        }
    }

    /** The history was damaged or edited, or a script was changed after it was applied. */
    public static final class Unfit extends MigrationException {
        private static final long serialVersionUID = 1;

        Unfit(String why) {
            super(why);
        }
    }
}
