package dev.cloche.bench.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what a process takes of the host's memory: each page divided by the number of processes that map it (PSS), in
 * MiB.
 */
public final class ProportionalSize {
    private static final Pattern PSS = Pattern.compile("(?m)^Pss:\\s+(\\d+) kB");

    /** Has the sizes of a guard and of the QEMU below it. */
    public record Pair(double parent, double child) {}

    private ProportionalSize() {}

    public static double mebibytes(long pid) throws IOException {
        return number(PSS, Path.of("/proc/" + pid + "/smaps_rollup")) / 1024.0;
    }

    /** Measures a guard, with what it has started besides, and its QEMU. */
    public static Pair ofGuarded(ProcessHandle guard) throws IOException {
        double own = mebibytes(guard.pid());
        double qemu = 0;
        for (ProcessHandle child : guard.children().toList()) {
            if (child.info().command().orElse("").contains("qemu")) {
                qemu += mebibytes(child.pid());
            } else {
                own += mebibytes(child.pid());
            }
        }
        return new Pair(own, qemu);
    }

    private static long number(Pattern pattern, Path file) throws IOException {
        String text = Files.readString(file);
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + pattern + " in " + file + ": " + text);
        }
        return Long.parseLong(matcher.group(1));
    }
}
