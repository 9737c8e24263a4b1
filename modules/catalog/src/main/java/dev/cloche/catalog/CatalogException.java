package dev.cloche.catalog;

import dev.cloche.base.ClocheException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** What can go wrong with the catalog. A failed transaction has left no trace. */
public abstract sealed class CatalogException extends ClocheException {
    private CatalogException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** Another process kept the write lock for too long, or the waiting thread was interrupted. */
    public static final class Busy extends CatalogException {
        Busy(Path file, String why, @Nullable Throwable cause) {
            super(
                    "catalog.busy",
                    "The catalog " + file + " is in use by another process: " + why + ".",
                    "Try again; if it stays so, look for a stopped process that has this file open.",
                    cause);
        }
    }

    /** The catalog was written by a newer program. It has been left as it is. */
    public static final class Newer extends CatalogException {
        Newer(Path file, String room, RoomVersions.Found found, int known) {
            super(
                    "catalog.newer",
                    "The catalog " + file + " has version " + found.version() + " of the room '" + room
                            + "', which programs may use that know version " + found.usableFrom()
                            + ", and this program knows up to " + known + ".",
                    "Use the newer Cloche that wrote it, or another state directory.",
                    null);
        }
    }

    /** What the catalog says of its migrations does not fit this program. It has been left as it is. */
    public static final class History extends CatalogException {
        History(Path file, String room, Throwable cause) {
            super(
                    "catalog.history",
                    "The catalog " + file + " has a history of the room '" + room + "' that does not fit this program: "
                            + sentenceOf(cause) + ".",
                    "Use the Cloche that wrote it, or put a copy in its place with Cloche.catalog(options).restore(…).",
                    cause);
        }
    }

    /** The file is damaged, or is no catalog. */
    public static final class Corrupt extends CatalogException {
        Corrupt(Path file, Throwable cause) {
            super(
                    "catalog.corrupt",
                    "The catalog " + file + " is damaged or is no SQLite database.",
                    "Put yesterday's copy in its place with Cloche.catalog(options).restoreLatest(), or an older one"
                            + " that you have.",
                    cause);
        }
    }

    /** The disk is full. */
    public static final class NoSpace extends CatalogException {
        NoSpace(Path file, Throwable cause) {
            super(
                    "catalog.no-space",
                    "There is no space left to write the catalog " + file + ".",
                    "Remove what is not needed (cloche.sandboxes().remove(…), cloche.images().prune(…)), or make its"
                            + " file system larger.",
                    cause);
        }
    }

    /** Something would have to be recorded, and the file system is read-only. */
    public static final class ReadOnly extends CatalogException {
        ReadOnly(Path file) {
            super(
                    "catalog.read-only",
                    "The catalog " + file + " is on a read-only file system.",
                    "Mount it for reading and writing; until then 'ps', 'images', 'inspect' and 'logs' show what is recorded.",
                    null);
        }
    }

    /** The file or its directory may not be read or written by this user. */
    public static final class Denied extends CatalogException {
        Denied(Path file, Throwable cause) {
            super(
                    "catalog.denied",
                    "The catalog " + file + " cannot be opened for reading and writing.",
                    "Check the owner and mode of the file and of its directory.",
                    cause);
        }
    }

    /** There is no catalog to look at. */
    public static final class Absent extends CatalogException {
        Absent(Path file) {
            super(
                    "catalog.absent",
                    "There is no catalog at " + file + ".",
                    "Check the state directory; the first image or sandbox makes a catalog.",
                    null);
        }
    }

    /** Another process, or this one, has the catalog open that a copy is to take the place of. Nothing was changed. */
    public static final class InUse extends CatalogException {
        InUse(Path file) {
            super(
                    "catalog.in-use",
                    "The catalog " + file + " is open in a process.",
                    "End all programs that use this state directory, and try again; sandboxes may go on.",
                    null);
        }
    }

    /** What was to take the catalog's place is damaged, or no catalog. Nothing was changed. */
    public static final class Unfit extends CatalogException {
        Unfit(Path copy, String why) {
            super(
                    "catalog.unfit",
                    "The copy " + copy + " cannot take the catalog's place: " + why + ".",
                    "Name another copy, as Cloche.catalog(options).backup(…) makes them.",
                    null);
        }
    }

    /** A backup would have replaced a file, which has been left alone. */
    public static final class TargetExists extends CatalogException {
        TargetExists(Path target) {
            super(
                    "catalog.target-exists",
                    "There is a file at " + target + " already.",
                    "Name a file that does not exist.",
                    null);
        }
    }

    /** A row was refused by a UNIQUE, CHECK or FOREIGN KEY constraint. Rooms translate it to their own terms. */
    public static final class Constraint extends CatalogException {
        Constraint(Path file, Throwable cause) {
            super(
                    "catalog.constraint",
                    "The catalog " + file + " refused a row: " + sentenceOf(cause) + ".",
                    "This is a fault of Cloche if it reaches you: please report it.",
                    cause);
        }
    }

    /** A command is changing the installation or migrating the schema, and everybody else has to wait for its end. */
    public static final class InstallInProgress extends CatalogException {
        private final Instant until;

        InstallInProgress(Instant until) {
            super(
                    "catalog.install-in-progress",
                    "An install operation is in progress until " + until.truncatedTo(ChronoUnit.SECONDS) + ".",
                    "Retry after it completes.",
                    null);
            this.until = until;
        }

        /** Returns when it has ended at the latest, unless it asks for more time. */
        public Instant until() {
            return until;
        }
    }

    /** A lease has expired, or another process has it. */
    public static final class LeaseLost extends CatalogException {
        LeaseLost() {
            super(
                    "catalog.lease-lost",
                    "The lease for changing the installation is no longer held.",
                    "Begin the operation again.",
                    null);
        }
    }

    /** Anything else: an I/O error of the disk, or a fault in a statement or a migration. */
    public static final class Failed extends CatalogException {
        Failed(Path file, Throwable cause) {
            super(
                    "catalog.failed",
                    "The catalog " + file + " failed: " + sentenceOf(cause) + ".",
                    "Check the health of its file system; if that is sound, please report it.",
                    cause);
        }
    }
}
