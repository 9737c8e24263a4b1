package dev.cloche.sandbox.directory;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.Optional;

/**
 * Says how far the end of a sandbox has come, for a process that has to go on with it: one line {@code 1 PHASE NANOS
 * MILLIS}. Its time is that of the monotonic clock since the host's boot, which no change of the wall clock moves and
 * which no VM outlives.
 *
 * @param atNanos of a drain: until when commands are waited for; of a stop: when the guest was first asked to end
 * @param grace that the guest has from the moment when it is asked
 */
public record EndPlan(Phase phase, long atNanos, Duration grace) {
    /** Says what is done about the end. */
    public enum Phase {
        /** Commands are waited for. */
        DRAIN,
        /** The guest is asked to end. */
        STOP
    }

    /** Of an end of which nothing is noted: its time to wait is over, and its guest has not been asked. */
    public static final EndPlan UNKNOWN = new EndPlan(Phase.DRAIN, 0, Duration.ofSeconds(10));

    private static final String VERSION = "1";

    public EndPlan {
        if (atNanos < 0 || grace.isNegative()) {
            throw new IllegalArgumentException("no plan: " + atNanos + ", " + grace);
        }
    }

    /** Plans to wait for commands, and then to stop. */
    public static EndPlan drain(Deadline finish, Duration grace) {
        long now = System.nanoTime();
        long left = finish.remainingNanos();
        return new EndPlan(Phase.DRAIN, left > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + left, grace);
    }

    /** Plans to stop from now on. */
    public static EndPlan stop(Duration grace) {
        return new EndPlan(Phase.STOP, System.nanoTime(), grace);
    }

    /** Returns the deadline until which commands may go on. */
    public Deadline finish() {
        return phase == Phase.STOP ? Deadline.after(Duration.ZERO) : in(System.nanoTime());
    }

    private Deadline in(long now) {
        return Deadline.after(Duration.ofNanos(atNanos - now));
    }

    /** Returns what is left of the grace; all of it as long as the guest has not been asked. */
    public Duration graceLeft(long now) {
        if (phase == Phase.DRAIN) {
            return grace;
        }
        Duration left = grace.minusNanos(Math.max(0, now - atNanos));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Returns the line, which a newline ends. */
    public String text() {
        return VERSION + " " + phase + " " + atNanos + " " + grace.toMillis() + "\n";
    }

    /** Parses a line; one that is not understood is of another version, and as good as none. */
    public static Optional<EndPlan> parse(String text) {
        int end = text.indexOf('\n');
        String[] words = text.substring(0, Math.max(0, end)).split(" ", -1);
        if (words.length != 4 || !words[0].equals(VERSION)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new EndPlan(
                    Phase.valueOf(words[1]), Long.parseLong(words[2]), Duration.ofMillis(Long.parseLong(words[3]))));
        } catch (IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }
}
