package dev.cloche.machine;

import dev.cloche.base.ClocheException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Is thrown when something goes wrong with a machine as such; errors of its image and its VM have families of their
 * own.
 */
public abstract sealed class MachineException extends ClocheException {
    private MachineException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** A value is out of range, malformed or missing. Code {@code machine.invalid}. */
    public static final class Invalid extends MachineException {
        public Invalid(String sentence, String remedy) {
            super("machine.invalid", sentence, remedy, null);
        }
    }

    /** No machine has the name. Code {@code machine.not-found}. */
    public static final class NotFound extends MachineException {
        public NotFound(MachineName name) {
            super(
                    "machine.not-found",
                    "There is no machine named \"" + name + "\".",
                    "List them with: cloche.machines().list()",
                    null);
        }
    }

    /** Something has the name already. Code {@code machine.name-in-use}. */
    public static final class NameInUse extends MachineException {
        public NameInUse(MachineName name) {
            super(
                    "machine.name-in-use",
                    "There is a machine named \"" + name + "\" already.",
                    "Choose another name, or remove it with: cloche.machines().remove(\"" + name + "\", false)",
                    null);
        }

        public NameInUse(MachineName name, Path directory) {
            super(
                    "machine.name-in-use",
                    "The name \"" + name + "\" is taken by the directory " + directory + ", which has no config.toml.",
                    "Look at what is in it; remove it with: cloche.machines().remove(\"" + name + "\", true)",
                    null);
        }
    }

    /** The file of a machine cannot be understood; it is left as it is. Code {@code machine.broken}. */
    public static final class Broken extends MachineException {
        private final BrokenMachine entry;

        public Broken(BrokenMachine entry) {
            super(
                    "machine.broken",
                    "The configuration of the machine \"" + entry.name() + "\" cannot be used: " + entry.place() + ": "
                            + entry.reason() + ".",
                    entry.remedy() + (entry.cause() == BrokenMachine.Cause.NEWER ? "." : ""),
                    null);
            this.entry = entry;
        }

        public BrokenMachine entry() {
            return entry;
        }
    }

    /** What should become the configuration of a machine cannot be understood. Code {@code machine.unusable}. */
    public static final class Unusable extends MachineException {
        public Unusable(BrokenMachine wanted) {
            super(
                    "machine.unusable",
                    "This is no configuration of the machine \"" + wanted.name() + "\": "
                            + (wanted.line().isPresent()
                                    ? "line " + wanted.line().getAsInt() + ": "
                                    : "")
                            + wanted.reason() + ".",
                    wanted.cause() == BrokenMachine.Cause.NEWER
                            ? "Use the newer Cloche that wrote it."
                            : "Mend that, and try again.",
                    null);
        }
    }

    /** Another process or thread works on the machine. Code {@code machine.busy}. */
    public static final class Busy extends MachineException {
        public Busy(String name) {
            super(
                    "machine.busy",
                    "Another process or thread is working on the machine \"" + name + "\".",
                    "Try again when it is done.",
                    null);
        }
    }

    /** The machine is not in a state for what was asked. Code {@code machine.state}. */
    public static final class WrongState extends MachineException {
        public WrongState(String sentence, String remedy) {
            super("machine.state", sentence, remedy, null);
        }
    }

    /** It runs, and is not ready for what was waited for. Code {@code machine.not-ready}. */
    public static final class NotReady extends MachineException {
        /** @param why a sentence without a full stop, in the present */
        public NotReady(MachineName name, String why) {
            super(
                    "machine.not-ready",
                    "The machine \"" + name + "\" is not ready in time: " + why + ".",
                    "Wait longer, or look at what its programs write.",
                    null);
        }
    }

    /** The file asks for what Cloche cannot do. Code {@code machine.unsupported}. */
    public static final class Unsupported extends MachineException {
        public Unsupported(String sentence, String remedy) {
            super("machine.unsupported", sentence, remedy, null);
        }
    }

    /** Files of a machine cannot be read or written. Code {@code machine.storage}. */
    public static final class Storage extends MachineException {
        public Storage(String sentence, Throwable cause) {
            super("machine.storage", sentence, "Check the space on the disk, and who owns the directory.", cause);
        }
    }

    /** An archive is damaged, too new or hostile; nothing of it was kept. Code {@code machine.archive}. */
    public static final class BadArchive extends MachineException {
        public BadArchive(String sentence, @Nullable Throwable cause) {
            super("machine.archive", sentence, "Export the machine again with: cloche.machines().export(…)", cause);
        }
    }

    /** The thread was interrupted; its interrupt status is set. Code {@code machine.interrupted}. */
    public static final class Interrupted extends MachineException {
        public Interrupted(String what) {
            super("machine.interrupted", "Interrupted: " + what + ".", "", null);
        }
    }

    /** The operation was not done in time. Code {@code machine.deadline}. */
    public static final class OutOfTime extends MachineException {
        public OutOfTime(String what) {
            super("machine.deadline", "Not in time: " + what + ".", "Give it more time.", null);
        }
    }

    /** The init of its image did not bring a machine up. Code {@code machine.init}. */
    public static final class InitFailed extends MachineException {
        public InitFailed(MachineName name, String how, Throwable cause) {
            super(
                    "machine.init",
                    "The init of the machine \"" + name + "\" " + how + ".",
                    "See what it says in console.log of its VM, or have the agent as its init: "
                            + "cloche.machines().change(\"" + name + "\", …)",
                    cause);
        }
    }

    /** The provisioning script failed; the machine runs, and the script runs again at its next start. Code {@code machine.provision}. */
    public static final class ProvisionFailed extends MachineException {
        public ProvisionFailed(MachineName name, String how, String output) {
            super(
                    "machine.provision",
                    "The provisioning script of the machine \"" + name + "\" " + how + "."
                            + (output.isEmpty() ? "" : " Its last words: " + output),
                    "Look around with: cloche.machines().connect(\"" + name + "\"); it runs again at the next start",
                    null);
        }
    }
}
