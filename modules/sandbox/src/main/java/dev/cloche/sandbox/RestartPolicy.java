package dev.cloche.sandbox;

import dev.cloche.base.EnumNames;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says whether a sandbox is started again after a run that ended without a request. An end that was requested, by a person or
 * by the idle timeout, is never undone. The process that keeps the sandbox starts it, after a pause that doubles with each
 * restart in a row, from 100 ms to a minute; while no process keeps it, the next one that does.
 *
 * @param kind after which ends
 * @param limit of {@link Kind#ON_FAILURE}, how often in a row; empty for any number. Positive
 */
public record RestartPolicy(Kind kind, OptionalInt limit) {
    private static final Pattern ON_FAILURE = Pattern.compile("on-failure(?::(\\d{1,9}))?");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    /** A run of this length was no failed attempt: the row of restarts begins anew after it. */
    public static final Duration SETTLED = Duration.ofSeconds(10);

    /** Says after which ends a sandbox is started again. */
    public enum Kind {
        /** After none. */
        NO,
        /** When its main command failed, or it crashed. */
        ON_FAILURE,
        /** Restart after every end that was not asked for. */
        ALWAYS
    }

    public RestartPolicy {
        if (limit.isPresent() && (kind != Kind.ON_FAILURE || limit.getAsInt() < 1)) {
            throw new SandboxException.InvalidSpecification(
                    "A limit of " + limit.getAsInt() + " restarts has no meaning here.",
                    "Give a positive limit, and only with on-failure.");
        }
    }

    /** Returns the policy that never starts it again. */
    public static RestartPolicy no() {
        return new RestartPolicy(Kind.NO, OptionalInt.empty());
    }

    /** Starts it again after every failure. */
    public static RestartPolicy onFailure() {
        return new RestartPolicy(Kind.ON_FAILURE, OptionalInt.empty());
    }

    /** Starts it again after failures, but not more than so many times in a row; positive. A run of ten seconds begins a new row. */
    public static RestartPolicy onFailure(int limit) {
        return new RestartPolicy(Kind.ON_FAILURE, OptionalInt.of(limit));
    }

    /** Starts it again after every end without a request. */
    public static RestartPolicy always() {
        return new RestartPolicy(Kind.ALWAYS, OptionalInt.empty());
    }

    /**
     * Reads {@code no}, {@code on-failure}, {@code on-failure:N} or {@code always}.
     *
     * @throws SandboxException.InvalidSpecification if it is none of these
     */
    public static RestartPolicy parse(String text) {
        Matcher onFailure = ON_FAILURE.matcher(text);
        if (onFailure.matches()) {
            return onFailure.group(1) == null ? onFailure() : onFailure(Integer.parseInt(onFailure.group(1)));
        }
        return switch (text) {
            case "no" -> no();
            case "always" -> always();
            default ->
                throw new SandboxException.InvalidSpecification(
                        "\"" + text + "\" is no restart policy.", "Write no, on-failure, on-failure:N or always.");
        };
    }

    /** Returns what {@link #parse} reads. */
    @Override
    public String toString() {
        return EnumNames.of(kind) + (limit.isPresent() ? ":" + limit.getAsInt() : "");
    }

    /**
     * Says whether it wants another run.
     *
     * @param termination of the last run
     * @param restarts how many there were in a row by now
     */
    public boolean wants(Termination termination, int restarts) {
        if (termination.asked()) {
            return false;
        }
        return switch (kind) {
            case NO -> false;
            case ON_FAILURE -> termination.reason().failure() && restarts < limit.orElse(Integer.MAX_VALUE);
            case ALWAYS -> true;
        };
    }

    /**
     * Returns the back-off between an end and the next start: doubles with each restart in a row, from 100 ms to a
     * minute.
     */
    public static Duration pause(int restarts) {
        long factor = 1L << Math.min(restarts, 20);
        Duration pause = FIRST_PAUSE.multipliedBy(factor);
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }
}
