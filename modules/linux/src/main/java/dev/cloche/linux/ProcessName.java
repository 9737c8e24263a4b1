package dev.cloche.linux;

import java.util.Optional;

/** Processes as the holders of leases, in one word: {@code PID:STARTTIME:BOOT}. */
public final class ProcessName {
    private ProcessName() {}

    public static String of(ProcessIdentity process) {
        return process.pid() + ":" + process.startTime() + ":" + process.bootId();
    }

    /**
     * Returns whether the process of this name lives. A word that is no such name may be that of a newer program, so it
     * counts as one that lives.
     */
    public static boolean isAlive(String name) {
        return parse(name).map(ProcessIdentity::isAlive).orElse(true);
    }

    private static Optional<ProcessIdentity> parse(String name) {
        String[] parts = name.split(":", 3);
        try {
            return parts.length == 3
                    ? Optional.of(new ProcessIdentity(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2]))
                    : Optional.empty();
        } catch (IllegalArgumentException noSuchName) {
            return Optional.empty();
        }
    }
}
