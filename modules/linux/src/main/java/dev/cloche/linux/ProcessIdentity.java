package dev.cloche.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Describes a process, named so that a reused pid is never taken for it.
 *
 * @param pid positive
 * @param startTime field 22 of {@code /proc/PID/stat}: clock ticks after boot
 * @param bootId {@code /proc/sys/kernel/random/boot_id}, because both other values repeat after a reboot
 */
public record ProcessIdentity(long pid, long startTime, String bootId) {
    private static final Path PROC = Path.of("/proc");
    /** proc(5) counts fields from 1; the second, the name in parentheses, may itself hold spaces and parentheses. */
    private static final int STATE_AFTER_NAME = 0;

    private static final int START_TIME_AFTER_NAME = 22 - 3;

    public ProcessIdentity {
        if (pid <= 0 || pid > Integer.MAX_VALUE || startTime < 0 || bootId.isEmpty()) {
            throw new IllegalArgumentException("no process: " + pid + ", " + startTime + ", '" + bootId + "'");
        }
    }

    /** Returns the process that has this pid now; empty if there is none, or {@code /proc} does not show it. */
    public static Optional<ProcessIdentity> of(long pid) {
        return currentBootId().flatMap(boot -> startTime(PROC, pid).map(at -> new ProcessIdentity(pid, at, boot)));
    }

    /** Returns that of this JVM. */
    public static ProcessIdentity current() {
        return Own.IDENTITY.orElseThrow(() -> new UnsupportedSystemException("a system without /proc"));
    }

    /** Keeps what is the same for as long as this JVM lives: each start asks for it more than once. */
    private static final class Own {
        static final Optional<String> BOOT_ID = readBootId();
        static final Optional<ProcessIdentity> IDENTITY =
                of(ProcessHandle.current().pid());

        private static Optional<String> readBootId() {
            try {
                return Optional.of(bootId(PROC));
            } catch (IOException noProc) {
                return Optional.empty();
            }
        }
    }

    /** Returns whether just this process still runs; a zombie does not. */
    public boolean isAlive() {
        return isAlive(PROC);
    }

    boolean isAlive(Path proc) {
        try {
            char state = stat(proc, pid)[STATE_AFTER_NAME].charAt(0);
            return state != 'Z' && state != 'X' && of(proc, pid).equals(Optional.of(this));
        } catch (IOException gone) {
            return false;
        }
    }

    static Optional<ProcessIdentity> of(Path proc, long pid) {
        try {
            String boot = bootId(proc);
            return startTime(proc, pid).map(at -> new ProcessIdentity(pid, at, boot));
        } catch (IOException noProc) {
            return Optional.empty();
        }
    }

    private static Optional<Long> startTime(Path proc, long pid) {
        try {
            return Optional.of(Long.parseLong(stat(proc, pid)[START_TIME_AFTER_NAME]));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private static String[] stat(Path proc, long pid) throws IOException {
        // The name of a process is any bytes; ISO 8859-1 decodes all of them.
        String stat = Files.readString(proc.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    /** Returns the id that the kernel gave to this boot; empty where there is no {@code /proc}. */
    public static Optional<String> currentBootId() {
        return Own.BOOT_ID;
    }

    private static String bootId(Path proc) throws IOException {
        return Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
    }
}
