package dev.cloche.vm;

/** A program could not be started in a guest. */
public abstract sealed class SpawnException extends VmException {
    private SpawnException(String code, String sentence, String remedy) {
        super(code, sentence, remedy, null);
    }

    /** No file of that name is in the {@code PATH}, or at that path. */
    public static final class CommandNotFound extends SpawnException {
        public CommandNotFound(String sentence) {
            super("vm.spawn.command-not-found", sentence, "Check the name, and the PATH of the environment.");
        }
    }

    /** The file is there and cannot be executed. */
    public static final class CommandNotExecutable extends SpawnException {
        public CommandNotExecutable(String sentence) {
            super("vm.spawn.command-not-executable", sentence, "Check its mode, its interpreter and its architecture.");
        }
    }

    /** The working directory is missing, or no directory. */
    public static final class BadWorkingDirectory extends SpawnException {
        public BadWorkingDirectory(String sentence) {
            super(
                    "vm.spawn.bad-working-directory",
                    sentence,
                    "Choose a directory that is in the image, or have it made.");
        }
    }

    /** The image has no such user. */
    public static final class UnknownUser extends SpawnException {
        public UnknownUser(String sentence) {
            super("vm.spawn.unknown-user", sentence, "Choose a user of the image's /etc/passwd, or a number.");
        }
    }

    /** The image has no such group. */
    public static final class UnknownGroup extends SpawnException {
        public UnknownGroup(String sentence) {
            super("vm.spawn.unknown-group", sentence, "Choose a group of the image's /etc/group, or a number.");
        }
    }

    /** A resource limit that was asked for cannot be set. */
    public static final class BadLimit extends SpawnException {
        public BadLimit(String sentence) {
            super("vm.spawn.bad-limit", sentence, "Keep the soft limit at or below the hard one.");
        }
    }
}
