package dev.cloche;

import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * A machine whose configuration cannot be used; nothing touches it until somebody mends or removes it.
 *
 * @param name of its directory
 * @param line the first line that is wrong, from 1; empty where the file as a whole is
 * @param reason what is wrong, without a full stop
 * @param remedy what to do about it, without a full stop
 */
public record BrokenMachine(String name, Path file, OptionalInt line, String reason, String remedy) {
    static BrokenMachine of(dev.cloche.machine.BrokenMachine entry) {
        return new BrokenMachine(entry.name(), entry.file(), entry.line(), entry.reason(), entry.remedy());
    }
}
