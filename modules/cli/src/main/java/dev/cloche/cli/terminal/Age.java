package dev.cloche.cli.terminal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Formats how long ago something was, for people: the largest unit only. */
public final class Age {
    private Age() {}

    public static String of(Instant then, Clock clock) {
        Duration age = Duration.between(then, clock.instant());
        if (age.isNegative() || age.toSeconds() < 1) {
            return "just now";
        }
        if (age.toDays() > 0) {
            return counted(age.toDays(), "day");
        }
        if (age.toHours() > 0) {
            return counted(age.toHours(), "hour");
        }
        if (age.toMinutes() > 0) {
            return counted(age.toMinutes(), "minute");
        }
        return counted(age.toSeconds(), "second");
    }

    private static String counted(long count, String unit) {
        return count + " " + unit + (count == 1 ? "" : "s") + " ago";
    }
}
