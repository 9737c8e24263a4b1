package dev.cloche.base;

import java.time.Duration;

/** Durations as people write them: {@code 0s}, {@code 500ms}, {@code 90s}, {@code 2h}, {@code 7d}. Pure. */
public final class DurationText {
    private static final long LONGEST_WITH_FRACTION = 1_000_000_000;
    private static final int MILLISECOND = 1_000_000;

    private DurationText() {}

    /**
     * Returns it as a whole number of the largest unit that has one; from some 30 years on fractions of seconds are left
     * out.
     */
    public static String of(Duration duration) {
        long seconds = duration.toSeconds();
        int nanoseconds = duration.toNanosPart();
        if (nanoseconds != 0 && Math.abs(seconds) < LONGEST_WITH_FRACTION) {
            return nanoseconds % MILLISECOND == 0 ? duration.toMillis() + "ms" : duration.toNanos() + "ns";
        }
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + "s";
        }
        if (seconds % 3600 != 0) {
            return seconds / 60 + "m";
        }
        return seconds % 86_400 == 0 ? seconds / 86_400 + "d" : seconds / 3600 + "h";
    }
}
