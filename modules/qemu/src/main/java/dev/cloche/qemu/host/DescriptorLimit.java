package dev.cloche.qemu.host;

import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says how many files this process may have open, and with it the guard and QEMU, which inherit that. With too few a start
 * ends in the middle of anything.
 */
public final class DescriptorLimit {
    /** This JVM has some 50 open, QEMU some 40, and each VM of a process costs it five. */
    static final long LEAST = 256;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files +(\\d+) ");

    private DescriptorLimit() {}

    /**
     * Checks the limit of open files that this process gives to what it starts.
     *
     * @throws VmException.MissingResource if it is too low to run a VM
     */
    public static void require() {
        try {
            check(of(Files.readString(LIMITS)));
        } catch (IOException unknown) {
            // Without /proc there is no telling; then the start does.
        }
    }

    static void check(OptionalLong limit) {
        if (limit.isPresent() && limit.getAsLong() < LEAST) {
            throw new VmException.MissingResource(
                    "This process may have only " + limit.getAsLong()
                            + " files open at a time, which are too few to run a VM",
                    "Allow at least " + LEAST + ", better 4096: ulimit -n 4096; where that is refused, raise the hard"
                            + " limit of the session or the service (LimitNOFILE).",
                    null);
        }
    }

    /** Returns the soft limit; empty if there is none. */
    static OptionalLong of(String limits) {
        Matcher line = OPEN_FILES.matcher(limits);
        return line.find() ? OptionalLong.of(Long.parseLong(line.group(1))) : OptionalLong.empty();
    }
}
