package dev.cloche;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a sandbox is started again after a run that ended although nobody asked for it. A process that has called {@link
 * Cloche#adopt()} does so, after a pause that doubles with each restart in a row, from 100 ms to a minute; while there is none,
 * the next one.
 *
 * <pre>{@code
 * cloche.sandbox("nginx").name("web").restart(RestartPolicy.onFailure(3)).detached().start();
 * }</pre>
 *
 * @param kind after which ends
 * @param limit of {@link Kind#ON_FAILURE}, how often in a row; empty for any number
 */
public record RestartPolicy(Kind kind, OptionalInt limit) {
    private static final Pattern ON_FAILURE = Pattern.compile("on-failure(?::(\\d{1,9}))?");

    /** After which ends a sandbox is started again. */
    public enum Kind {
        /** After none. */
        NO,
        /** When its main command failed, or it crashed. */
        ON_FAILURE,
        /** After every end that nobody asked for. */
        ALWAYS
    }

    static RestartPolicy of(dev.cloche.sandbox.RestartPolicy policy) {
        return new RestartPolicy(Kind.valueOf(policy.kind().name()), policy.limit());
    }

    /** In the words of the room. */
    dev.cloche.sandbox.RestartPolicy room() {
        return new dev.cloche.sandbox.RestartPolicy(dev.cloche.sandbox.RestartPolicy.Kind.valueOf(kind.name()), limit);
    }

    public static RestartPolicy no() {
        return new RestartPolicy(Kind.NO, OptionalInt.empty());
    }

    public static RestartPolicy onFailure() {
        return new RestartPolicy(Kind.ON_FAILURE, OptionalInt.empty());
    }

    /** After failures, but not more than so many times in a row; positive. A run of ten seconds begins a new row. */
    public static RestartPolicy onFailure(int limit) {
        return new RestartPolicy(Kind.ON_FAILURE, OptionalInt.of(limit));
    }

    public static RestartPolicy always() {
        return new RestartPolicy(Kind.ALWAYS, OptionalInt.empty());
    }

    /**
     * Reads {@code no}, {@code on-failure}, {@code on-failure:N} or {@code always}.
     *
     * @throws IllegalArgumentException if it is none of these
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
                throw new IllegalArgumentException(
                        "\"" + text + "\" is no restart policy: write no, on-failure, on-failure:N or always");
        };
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return switch (kind) {
            case NO -> "no";
            case ON_FAILURE -> "on-failure" + (limit.isPresent() ? ":" + limit.getAsInt() : "");
            case ALWAYS -> "always";
        };
    }
}
