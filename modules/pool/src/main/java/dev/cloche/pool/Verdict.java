package dev.cloche.pool;

/** What a validator says of an entry. */
public sealed interface Verdict {
    /** It may be handed out. */
    record Healthy() implements Verdict {}

    /** It is destroyed, for a reason that people understand. */
    record Unhealthy(String reason) implements Verdict {}

    Verdict HEALTHY = new Healthy();
}
