package dev.cloche.cli.terminal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Formats how long ago something was, or how soon it will be, for people: the largest unit only. */
public final class Age {
    private Age() {}

    public static String of(Instant then, Clock clock) {
        Duration age = Duration.between(then, clock.instant());
        return age.toSeconds() < 1 ? "just now" : counted(age) + " ago";
    }

    /** Returns the same of a time to come. */
    public static String until(Instant then, Clock clock) {
        Duration left = Duration.between(clock.instant(), then);
        return left.toSeconds() < 1 ? "now" : "in " + counted(left);
    }

    private static String counted(Duration time) {
        if (time.toDays() > 0) {
            return counted(time.toDays(), "day");
        }
        if (time.toHours() > 0) {
            return counted(time.toHours(), "hour");
        }
        return time.toMinutes() > 0 ? counted(time.toMinutes(), "minute") : counted(time.toSeconds(), "second");
    }

    private static String counted(long count, String unit) {
        return count + " " + unit + (count == 1 ? "" : "s");
    }
}
