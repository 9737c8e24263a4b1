package dev.cloche.vm;

/**
 * Says how a file of a guest is written.
 *
 * @param mode the permission bits of a file that is made, at most 07777
 * @param createNew whether it is an error if the file exists
 * @param append whether the bytes go to the end of the file
 * @param truncate whether what the file had is dropped
 * @param offset where the bytes go in the file, unless they are appended
 */
public record WriteOptions(int mode, boolean createNew, boolean append, boolean truncate, long offset) {
    private static final int MAX_MODE = 07777;

    /** Makes the file with mode 0644, or replaces its content. */
    public static final WriteOptions REPLACE = new WriteOptions(0644, false, false, true, 0);

    /** @throws VmException.Invalid if a part is out of its range, or two exclude each other */
    public WriteOptions {
        if (mode < 0 || mode > MAX_MODE || offset < 0) {
            throw new VmException.Invalid("A mode or offset of a file is not in its range", "Modes are at most 07777.");
        }
        if (append && (truncate || offset > 0)) {
            throw new VmException.Invalid(
                    "Appending to a file excludes cutting it and writing inside of it", "Choose one of them.");
        }
    }

    /** Makes a file that must not exist. */
    public static WriteOptions createNew(int mode) {
        return new WriteOptions(mode, true, false, false, 0);
    }

    /** Adds to the end of the file, making it with mode 0644 if it is missing. */
    public static WriteOptions appending() {
        return new WriteOptions(0644, false, true, false, 0);
    }

    /** Writes inside of the file, making it with mode 0644 if it is missing. */
    public static WriteOptions at(long offset) {
        return new WriteOptions(0644, false, false, false, offset);
    }

    public WriteOptions withMode(int value) {
        return new WriteOptions(value, createNew, append, truncate, offset);
    }
}
