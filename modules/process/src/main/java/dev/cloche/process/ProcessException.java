package dev.cloche.process;

import dev.cloche.base.ClocheException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What can go wrong with processes. Unless it says otherwise, nothing has been written. */
public abstract sealed class ProcessException extends ClocheException {
    private ProcessException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** An argument is out of range, blank, or contradicts itself. Code {@code process.invalid}. */
    public static final class Invalid extends ProcessException {
        public Invalid(String why) {
            super("process.invalid", "This cannot be recorded: " + why + ".", "Correct it and try again.", null);
        }
    }

    /** No process has the id. Code {@code process.unknown}. */
    public static final class Unknown extends ProcessException {
        public Unknown(String id, Optional<Instant> prunedAt) {
            super(
                    "process.unknown",
                    prunedAt.map(at -> "The process \"" + id + "\" was pruned at " + at + ".")
                            .orElse("There is no process \"" + id + "\"."),
                    "List them with: cloche.processes().list(true)",
                    null);
        }
    }

    /** The id is taken by another registration. Code {@code process.registration-conflict}. */
    public static final class RegistrationConflict extends ProcessException {
        private final String stored;
        private final String given;

        public RegistrationConflict(String id, String stored, String given) {
            super(
                    "process.registration-conflict",
                    "The process \"" + id + "\" is registered with hash " + stored + ", and not with " + given + ".",
                    "Choose another id, or repeat the registration exactly.",
                    null);
            this.stored = stored;
            this.given = given;
        }

        /** Returns the hash of what is registered. */
        public String storedHash() {
            return stored;
        }

        /** Returns the hash of what was to be registered. */
        public String givenHash() {
            return given;
        }
    }

    /** The replay key belongs to an event of other content. Code {@code process.replay-conflict}. */
    public static final class ReplayConflict extends ProcessException {
        public ReplayConflict(String id, String key) {
            super(
                    "process.replay-conflict",
                    "The process \"" + id + "\" has an event of replay key \"" + key + "\" with another content.",
                    "Use a new replay key for a new event.",
                    null);
        }
    }

    /** The process does not declare the event's type. Code {@code process.undeclared-type}. */
    public static final class UndeclaredType extends ProcessException {
        public UndeclaredType(String id, String type) {
            super(
                    "process.undeclared-type",
                    "The process \"" + id + "\" does not declare events of type \"" + type + "\".",
                    "Declare the type when the process is registered.",
                    null);
        }
    }

    /** An event of this type must be repeatable. Code {@code process.replay-key-required}. */
    public static final class ReplayKeyRequired extends ProcessException {
        public ReplayKeyRequired(String type) {
            super(
                    "process.replay-key-required",
                    "An event of type \"" + type + "\" needs a replay key.",
                    "Give one that is the same at every attempt.",
                    null);
        }
    }

    /** The payload breaks the schema of its type. Code {@code process.payload-invalid}. */
    public static final class PayloadInvalid extends ProcessException {
        public PayloadInvalid(String type, String why) {
            super(
                    "process.payload-invalid",
                    "The payload breaks the schema of \"" + type + "\": " + why + ".",
                    "Correct the payload.",
                    null);
        }
    }

    /** A type of events has a schema, and what checks schemas is absent. Code {@code process.schemas-missing}. */
    public static final class SchemasMissing extends ProcessException {
        public SchemasMissing() {
            super(
                    "process.schemas-missing",
                    "A type of events has a schema, and this program lacks the artefact dev.cloche:cloche-schema, which"
                            + " checks payloads.",
                    "Add dev.cloche:cloche-schema to the program's dependencies.",
                    null);
        }
    }

    /** What the event's type says about its payload does not hold for this one. Code {@code process.semantics}. */
    public static final class SemanticsFailed extends ProcessException {
        public SemanticsFailed(String type, String why) {
            super(
                    "process.semantics",
                    "An event of type \"" + type + "\" cannot be made of this payload: " + why + ".",
                    "Correct the payload, or the selectors of the type.",
                    null);
        }
    }

    /** The process has ended, and ends once. Code {@code process.already-terminal}. */
    public static final class AlreadyTerminal extends ProcessException {
        private final ProcessStatus status;

        public AlreadyTerminal(String id, ProcessStatus status) {
            super(
                    "process.already-terminal",
                    "The process \"" + id + "\" has already ended: it is " + status.word() + ".",
                    "Nothing is left to do.",
                    null);
            this.status = status;
        }

        /** Returns how it ended. */
        public ProcessStatus status() {
            return status;
        }
    }

    /** The event's type wakes a session, and the append names none. Code {@code process.wake-target-missing}. */
    public static final class WakeTargetMissing extends ProcessException {
        public WakeTargetMissing(String type) {
            super(
                    "process.wake-target-missing",
                    "An event of type \"" + type + "\" wakes a session, and the append names none.",
                    "Give the append a wake target.",
                    null);
        }
    }

    /** The scope has no handle to the process. Code {@code process.not-granted}. */
    public static final class NotGranted extends ProcessException {
        public NotGranted(SessionScope scope, String id) {
            super(
                    "process.not-granted",
                    "The session \"" + scope.session() + "\""
                            + scope.frame()
                                    .map(frame -> ", frame \"" + frame + "\",")
                                    .orElse("") + " has no handle to the process \"" + id + "\".",
                    "Grant it first.",
                    null);
        }
    }

    /** Another owner holds the lease. Code {@code process.already-leased}. */
    public static final class AlreadyLeased extends ProcessException {
        private final String holder;
        private final Instant until;

        public AlreadyLeased(String id, String holder, Instant until) {
            super(
                    "process.already-leased",
                    "The process \"" + id + "\" is already leased by " + holder + " until " + until + ".",
                    "Wait until it is released or runs out.",
                    null);
            this.holder = holder;
            this.until = until;
        }

        /** Returns who holds it. */
        public String holder() {
            return holder;
        }

        /** Returns when it runs out unless it is renewed, by the store's wall clock. */
        public Instant until() {
            return until;
        }
    }

    /** The lease was released, ran out, or was taken over. Code {@code process.lease-lost}. */
    public static final class LeaseLost extends ProcessException {
        public LeaseLost(Lease lease) {
            super(
                    "process.lease-lost",
                    "The lease of " + lease.owner() + " on the process \"" + lease.processId()
                            + "\" is missing or expired.",
                    "Stop driving it; claim it again to go on.",
                    null);
        }
    }

    /** Only the holder of its lease can end this process. Code {@code process.lease-required}. */
    public static final class LeaseRequired extends ProcessException {
        public LeaseRequired(String id) {
            super(
                    "process.lease-required",
                    "The process \"" + id + "\" can only be ended by the holder of its lease.",
                    "Claim it, and complete it with the lease; or ask for its end with a cancel request.",
                    null);
        }
    }

    /** No program drives the command that was waited for, so its end would not come. Code {@code process.undriven}. */
    public static final class Undriven extends ProcessException {
        /** Reports it for a program that knows those that drive commands. */
        public Undriven(String id) {
            super(
                    "process.undriven",
                    "No program drives the command \"" + id + "\", so nothing fetches its output or records its end.",
                    "Call cloche.driveCommands() on a Cloche that stays open, and wait for it again: "
                            + "cloche.processes().await(\"" + id + "\", …)",
                    null);
        }
    }

    /** What was waited for did not happen in time. Code {@code process.timed-out}. */
    public static final class TimedOut extends ProcessException {
        public TimedOut(String what) {
            super("process.timed-out", "The wait for " + what + " took too long.", "Wait longer.", null);
        }
    }

    /** The thread was interrupted; its flag is set again. Code {@code process.interrupted}. */
    public static final class Interrupted extends ProcessException {
        public Interrupted(String what) {
            super("process.interrupted", "The wait for " + what + " was interrupted.", "", null);
        }
    }

    /** The feed of changes has forgotten prunes behind a cursor. Code {@code process.feed-forgotten}. */
    public static final class FeedForgotten extends ProcessException {
        /** Reports it for a store. */
        public FeedForgotten() {
            super(
                    "process.feed-forgotten",
                    "The feed of changes has forgotten some that came after this cursor.",
                    "List the processes anew, and read the feed from its beginning.",
                    null);
        }
    }

    /** A registry is over the store already. Code {@code process.store-in-use}. */
    public static final class StoreInUse extends ProcessException {
        /** Reports it for a store. */
        public StoreInUse() {
            super(
                    "process.store-in-use",
                    "There is a registry over this store already.",
                    "Use that one, or open another store over the same data.",
                    null);
        }
    }

    /** The registry has been closed. Code {@code process.closed}. */
    public static final class Closed extends ProcessException {
        public Closed() {
            super("process.closed", "The process registry has been closed.", "Open it again.", null);
        }
    }

    /**
     * The store failed. A write may or may not have been committed: repeat it, which finds it if it was. Code
     * {@code process.store-failed}.
     */
    public static final class StoreFailed extends ProcessException {
        /** Reports it for a store. */
        public StoreFailed(String why, String remedy, Throwable cause) {
            super("process.store-failed", "The store of processes failed: " + why, remedy, cause);
        }
    }
}
