package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.EnumNames;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What can go wrong with a sandbox as such; errors of its image and its VM have families of their own. */
public abstract sealed class SandboxException extends ClocheException {
    private SandboxException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    private SandboxException(String code, String sentence, String remedy) {
        this(code, sentence, remedy, null);
    }

    /** A value of the specification is out of range or missing. Code {@code sandbox.invalid-specification}. */
    public static final class InvalidSpecification extends SandboxException {
        public InvalidSpecification(String sentence, String remedy) {
            super("sandbox.invalid-specification", sentence, remedy);
        }
    }

    /** Another sandbox has the name. Code {@code sandbox.name-in-use}. */
    public static final class NameInUse extends SandboxException {
        public NameInUse(String name, SandboxStatus status) {
            super(
                    "sandbox.name-in-use",
                    "The name \"" + name + "\" is in use by a sandbox that is " + EnumNames.of(status) + ".",
                    status.terminal()
                            ? "Choose another name, or remove it with: cloche.sandboxes().remove(\"" + name
                                    + "\", false)"
                            : "Choose another name, or stop and remove it with: cloche.sandboxes().remove(\"" + name
                                    + "\", true)");
        }
    }

    /** No sandbox has the name. Code {@code sandbox.not-found}. */
    public static final class NotFound extends SandboxException {
        public NotFound(String name) {
            super(
                    "sandbox.not-found",
                    "There is no sandbox named \"" + name + "\".",
                    "List them with: cloche.sandboxes().list()");
        }
    }

    /** No template has the name. Code {@code sandbox.no-template}. */
    public static final class NoTemplate extends SandboxException {
        public NoTemplate(String name) {
            super(
                    "sandbox.no-template",
                    "There is no template named \"" + name + "\".",
                    "List them with: cloche.templates().list()");
        }
    }

    /** Another process takes too long for a template. Code {@code sandbox.template-late}. */
    public static final class TemplateLate extends SandboxException {
        TemplateLate(String name) {
            super(
                    "sandbox.template-late",
                    "The template " + name + " is being made by another process, which has not finished.",
                    "Try again, or end that process.");
        }
    }

    /** No pool is of the image and the size. Code {@code sandbox.no-pool}. */
    public static final class NoPool extends SandboxException {
        NoPool(PoolShape shape) {
            super(
                    "sandbox.no-pool",
                    "There is no pool of " + shape.subject() + " with " + shape.memoryMib() + " MiB and " + shape.cpus()
                            + " CPUs, " + (shape.network() ? "with" : "without") + " a network.",
                    "List them with: cloche.pools().list()",
                    null);
        }
    }

    /** No snapshot has the name. Code {@code sandbox.no-snapshot}. */
    public static final class NoSnapshot extends SandboxException {
        public NoSnapshot(String name) {
            super(
                    "sandbox.no-snapshot",
                    "There is no snapshot or template named \"" + name + "\".",
                    "List them with: cloche.snapshots().list()");
        }
    }

    /** Another snapshot has the name, whole or being taken. Code {@code sandbox.snapshot-exists}. */
    public static final class SnapshotExists extends SandboxException {
        public SnapshotExists(String name) {
            super(
                    "sandbox.snapshot-exists",
                    "There is a snapshot named \"" + name + "\" already.",
                    "Choose another name, or remove it with: cloche.snapshots().remove(\"" + name + "\")");
        }
    }

    /** A step of a template's recipe has failed. Code {@code sandbox.preparation-failed}. */
    public static final class PreparationFailed extends SandboxException {
        private final String output;

        private PreparationFailed(String sentence, String remedy, String output) {
            super("sandbox.preparation-failed", sentence, remedy);
            this.output = output;
        }

        /**
         * Returns the failure of a step of a template.
         *
         * @param template its name
         * @param why a sentence without a full stop
         * @param output the end of what the step wrote
         */
        public static PreparationFailed ofTemplate(String template, String why, String output) {
            return new PreparationFailed(
                    "The template \"" + template + "\" is not prepared: " + why + ".",
                    "Try the step in a sandbox of the image, and prepare the template again.",
                    output);
        }

        /** Returns the failure of what a template has for each of its sandboxes; the parameters are as of the other method. */
        public static PreparationFailed ofClone(String template, String why, String output) {
            return new PreparationFailed(
                    "A sandbox of the template \"" + template + "\" is not ready: " + why + ".",
                    "Prepare the template again, with another command for its clones.",
                    output);
        }

        /** Returns the end of what the step wrote, at most 4 KiB; empty if it wrote nothing. */
        public String output() {
            return output;
        }
    }

    /** A template does not fit this image or runtime any more. Code {@code sandbox.template-stale}. */
    public static final class TemplateStale extends SandboxException {
        public TemplateStale(String name, @Nullable Throwable cause) {
            super(
                    "sandbox.template-stale",
                    "The template \"" + name + "\" was prepared by an application, for another image or runtime.",
                    "Have that application prepare it again.",
                    cause);
        }
    }

    /** It does not run, and what it wrote is gone. Code {@code sandbox.nothing-to-keep}. */
    public static final class NothingToKeep extends SandboxException {
        public NothingToKeep(String name, SandboxStatus status) {
            super(
                    "sandbox.nothing-to-keep",
                    "The sandbox \"" + name + "\" is " + EnumNames.of(status) + " and has no disk that could be kept.",
                    "Start it first with: cloche.sandboxes().start(\"" + name + "\")");
        }
    }

    /** Only the process that owns it can halt it for a snapshot. Code {@code sandbox.owned-elsewhere}. */
    public static final class OwnedElsewhere extends SandboxException {
        public OwnedElsewhere(String name) {
            super(
                    "sandbox.owned-elsewhere",
                    "The sandbox \"" + name + "\" belongs to another process, and only that can take a snapshot of it.",
                    "Take it there, let go of the sandbox there, or start it detached: cloche.sandbox(…).detached()");
        }
    }

    /** The sandbox exists and has no VM that answers. Code {@code sandbox.not-running}. */
    public static final class NotRunning extends SandboxException {
        private final SandboxStatus status;

        public NotRunning(String name, SandboxStatus status) {
            super(
                    "sandbox.not-running",
                    "The sandbox \"" + name + "\" is not running; it is "
                            // Its VM is gone and its owner is about to say so.
                            + (status == SandboxStatus.RUNNING ? "ending" : EnumNames.of(status)) + ".",
                    remedy(name, status));
            this.status = status;
        }

        /** Returns what its record said. */
        public SandboxStatus status() {
            return status;
        }

        private static String remedy(String name, SandboxStatus status) {
            return switch (status) {
                case CREATED, STOPPED, CRASHED -> "Start it with: cloche.sandboxes().start(\"" + name + "\")";
                case PAUSED, SUSPENDED -> "Let it go on with: cloche.sandboxes().resume(\"" + name + "\")";
                case STARTING, SUSPENDING, RESUMING, RUNNING, DRAINING -> "Try again shortly.";
            };
        }
    }

    /**
     * The sandbox has no log: what its commands write goes to the processes that started them. Code {@code
     * sandbox.not-logged}.
     */
    public static final class NotLogged extends SandboxException {
        public NotLogged(String name) {
            super(
                    "sandbox.not-logged",
                    "The sandbox \"" + name + "\" keeps no log: what its commands write goes to their starters.",
                    "Start a command that is logged with: cloche.sandbox(…).detached()");
        }
    }

    /** The sandbox has not ended and was to be removed without force. Code {@code sandbox.still-running}. */
    public static final class StillRunning extends SandboxException {
        public StillRunning(String name, SandboxStatus status) {
            super(
                    "sandbox.still-running",
                    "The sandbox \"" + name + "\" is " + EnumNames.of(status) + ".",
                    "Stop it first with: cloche.sandboxes().stop(\"" + name + "\", …)"
                            + ", or remove it with: cloche.sandboxes().remove(\"" + name + "\", true)");
        }
    }

    /** A living process is starting the sandbox, which is that process's to end. Code {@code sandbox.starting}. */
    public static final class Starting extends SandboxException {
        public Starting(String name) {
            super(
                    "sandbox.starting",
                    "The sandbox \"" + name + "\" is still being started by another process or thread.",
                    "Try again when it runs, or end the process that starts it.");
        }
    }

    /** The sandbox ended while it was in use. Code {@code sandbox.ended.} and the reason, in lower case with dashes. */
    public static final class Ended extends SandboxException {
        private final Termination termination;

        Ended(String name, Termination termination, @Nullable Throwable cause) {
            super(
                    "sandbox.ended." + EnumNames.of(termination.reason()),
                    "The sandbox \"" + name + "\" has ended. " + termination.detail(),
                    remedy(termination.reason()),
                    cause);
            this.termination = termination;
        }

        private static String remedy(TerminationReason reason) {
            return switch (reason) {
                case MAX_DURATION_EXCEEDED -> "Give it more time.";
                case COMPLETED, FAILED, SHUTDOWN_REQUESTED, DRAIN_REQUESTED ->
                    "Start another one if you still need it.";
                case IDLE_TIMEOUT -> "Use it more often, or give it a longer idle timeout.";
                case SIGNAL, AGENT_UNRESPONSIVE, INTERNAL_ERROR ->
                    "Try again; if it ends so again, look at the host with: Cloche.examine(options)";
            };
        }

        /** Returns how it ended. */
        public Termination termination() {
            return termination;
        }
    }

    /** Its memory is on the disk, or on the way there or back. Code {@code sandbox.suspended}. */
    public static final class Suspended extends SandboxException {
        public Suspended(String name, @Nullable Throwable cause) {
            super(
                    "sandbox.suspended",
                    "The sandbox \"" + name
                            + "\" was suspended: its memory is on the disk, and what runs in it goes on when"
                            + " it is resumed.",
                    "Let it go on with: cloche.sandboxes().resume(\"" + name + "\"), and attach to its commands again.",
                    cause);
        }
    }

    /** A suspended sandbox cannot go on, because its memory is gone. Code {@code sandbox.memory-gone}. */
    public static final class MemoryGone extends SandboxException {
        public MemoryGone(String name) {
            super(
                    "sandbox.memory-gone",
                    "The memory of the suspended sandbox \"" + name + "\" is gone.",
                    "End it with: cloche.sandboxes().stop(\"" + name + "\", …)");
        }
    }

    /** It is ending, and takes no further commands. Code {@code sandbox.draining}. */
    public static final class Draining extends SandboxException {
        public Draining(String name) {
            super(
                    "sandbox.draining",
                    "The sandbox \"" + name + "\" is ending and takes no further commands.",
                    "Start it again when it has stopped: cloche.sandboxes().start(\"" + name + "\")");
        }
    }

    /** Its end was asked for, and is not put off. Code {@code sandbox.ending}. */
    public static final class Ending extends SandboxException {
        public Ending(String name, TerminationReason asked) {
            super(
                    "sandbox.ending",
                    "The sandbox \"" + name + "\" is ending (" + EnumNames.of(asked) + "), and gets no other deadline.",
                    "Start it again when it has stopped: cloche.sandboxes().start(\"" + name + "\")");
        }
    }

    /** It has no deadline that could be put off. Code {@code sandbox.no-deadline}. */
    public static final class NoDeadline extends SandboxException {
        public NoDeadline(String name) {
            super(
                    "sandbox.no-deadline",
                    "The sandbox \"" + name + "\" has no deadline: it goes on until it is stopped.",
                    "Give it one with: cloche.sandboxes().deadline(…)");
        }
    }

    /** A living process owns it and did not let go of it in time. Code {@code sandbox.owned}. */
    public static final class Owned extends SandboxException {
        public Owned(String name) {
            super(
                    "sandbox.owned",
                    "The sandbox \"" + name + "\" is in the hands of another process.",
                    "Try again; if it stays so, end the process that uses it.");
        }
    }

    /** It goes away when it ends, so there is nothing to start again. Code {@code sandbox.ephemeral}. */
    public static final class Ephemeral extends SandboxException {
        Ephemeral(String name) {
            super(
                    "sandbox.ephemeral",
                    "The sandbox \"" + name + "\" goes away when it ends, and cannot be started again.",
                    "Give a sandbox that is to be started again a name, and do not make it ephemeral.");
        }
    }

    /** An older Cloche recorded it, and not what it runs. Code {@code sandbox.unknown-command}. */
    public static final class UnknownCommand extends SandboxException {
        public UnknownCommand(String name) {
            super(
                    "sandbox.unknown-command",
                    "What the sandbox \"" + name + "\" runs was not recorded by the Cloche that made it.",
                    "Remove it and run its image again: cloche.sandboxes().remove(\"" + name + "\", false)");
        }
    }

    /** What was waited for did not come in time. Code {@code sandbox.wait-too-long}. */
    public static final class WaitTooLong extends SandboxException {
        public WaitTooLong(String name) {
            super(
                    "sandbox.wait-too-long",
                    "What was waited for of the sandbox \"" + name + "\" did not come in time.",
                    "Wait longer, or look at it with: cloche.sandboxes().inspect(\"" + name + "\")");
        }
    }

    /** It runs, and is not ready for what was waited for. Code {@code sandbox.not-ready}. */
    public static final class NotReady extends SandboxException {
        /** @param why a sentence without a full stop, in the present */
        public NotReady(String name, String why) {
            super(
                    "sandbox.not-ready",
                    "The sandbox \"" + name + "\" is not ready in time: " + why + ".",
                    "Wait longer, or look at what its commands write.");
        }
    }

    /** The calling thread was interrupted. Code {@code sandbox.interrupted}. */
    public static final class Interrupted extends SandboxException {
        public Interrupted(String name) {
            super(
                    "sandbox.interrupted",
                    "What was done with the sandbox \"" + name + "\" was interrupted.",
                    "Try again if it still matters.");
        }
    }

    /** The directory of its files cannot be used. Code {@code sandbox.storage}. */
    public static final class StorageFailed extends SandboxException {
        public StorageFailed(Path directory, Throwable cause) {
            super(
                    "sandbox.storage",
                    "The directory " + directory + " cannot be used: " + sentenceOf(cause) + ".",
                    "Check its owner, its mode and the space on its disk.",
                    cause);
        }
    }

    /** Neither the request nor the image names a command. Code {@code sandbox.no-command}. */
    public static final class NoCommand extends SandboxException {
        public NoCommand(String reference) {
            super(
                    "sandbox.no-command",
                    "The image " + reference + " names no command, and none was given.",
                    "Give one: cloche.sandbox(\"" + reference + "\").command(…)");
        }
    }
}
