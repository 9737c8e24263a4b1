package dev.cloche.machine;

import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * A machine whose configuration cannot be used. Nothing touches its files until somebody mends or removes them.
 *
 * @param name of its directory, which need not be a valid name
 * @param file the configuration
 * @param line the first line that is wrong, from 1; empty where the file as a whole is
 * @param reason what is wrong, without a full stop
 * @param newer whether a newer Cloche wrote it
 */
public record BrokenMachine(String name, Path file, OptionalInt line, String reason, boolean newer)
        implements MachineEntry {
    /** The file, with the line if there is one, as compilers write it. */
    public String place() {
        return file + (line.isPresent() ? ":" + line.getAsInt() : "");
    }
}
