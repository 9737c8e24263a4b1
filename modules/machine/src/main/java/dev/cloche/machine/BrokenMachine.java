package dev.cloche.machine;

import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * Describes a machine whose configuration cannot be used. Cloche leaves its files alone until a user mends or removes them.
 *
 * @param name of its directory, which need not be a valid name
 * @param file the configuration
 * @param line the first line that is wrong, from 1; empty where the file as a whole is
 * @param reason what is wrong, without a full stop
 */
public record BrokenMachine(String name, Path file, OptionalInt line, String reason, Cause cause)
        implements MachineEntry {
    /** Says what is wrong with a configuration. */
    public enum Cause {
        /** Its text cannot be used, or it cannot be read. */
        UNUSABLE,
        /** A newer Cloche wrote it. */
        NEWER,
        /** Its vm_id is another directory's. */
        COPY
    }

    /** Returns what to do about it, without a full stop. */
    public String remedy() {
        return switch (cause) {
            case UNUSABLE -> "Mend it with: cloche.machines().replaceConfiguration(\"" + name + "\", …)";
            case NEWER -> "Use the newer Cloche that wrote it";
            case COPY ->
                "Give the copy an identity of its own with: cloche.machines().adopt(\"" + name + "\")"
                        + " (copies are best made with: cloche.machines().copy(…))";
        };
    }

    /** Returns the file, with the line if there is one, as compilers write it. */
    public String place() {
        return file + (line.isPresent() ? ":" + line.getAsInt() : "");
    }
}
