package dev.cloche.sandbox;

/**
 * Describes something in the state root that no record has, as records leave it that were lost, emptied, or restored from an
 * old copy.
 *
 * @param kind of it
 * @param name of the VM, the path or the holder, which tells it from all others of its kind
 * @param live whether a VM runs
 * @param inUse whether a living process owns it, so that it is left alone
 */
public record Orphan(Kind kind, String name, boolean live, boolean inUse) {
    /** Says what can be an orphan. */
    public enum Kind {
        /** A VM that no sandbox, machine or pool has. */
        VM,
        /** The socket of a VM that is gone. */
        SOCKET,
        /** The directory of a sandbox, perhaps with its disk. */
        SANDBOX_DIRECTORY,
        /** The directory of a snapshot of a sandbox, perhaps with its disk. */
        SNAPSHOT_DIRECTORY,
        /** What keeps an image for something that is gone. */
        IMAGE_PIN,
        /** The output of a durable command that no process has. */
        EXECUTION
    }

    /** Describes one that is no VM. */
    public static Orphan of(Kind kind, String name) {
        return new Orphan(kind, name, false, false);
    }

    /** Returns one sentence for people. */
    public String what() {
        return switch (kind) {
            case VM ->
                "The VM " + name + (live ? " runs" : " has ended")
                        + ", and no sandbox, machine or pool has it"
                        + (inUse ? "; a living process owns it." : ".");
            case SOCKET -> "The socket " + name + " is of a VM that is gone.";
            case SANDBOX_DIRECTORY -> "No sandbox has the directory " + name + ".";
            case SNAPSHOT_DIRECTORY -> "No snapshot has the directory " + name + ".";
            case IMAGE_PIN -> "An image is kept for " + name + ", which is gone.";
            case EXECUTION -> "No process has the output in " + name + ".";
        };
    }
}
