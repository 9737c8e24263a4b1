package dev.cloche;

/**
 * One thing that Cloche needs of its host, as found by {@link Cloche#examine(ClocheOptions)}.
 *
 * @param name what was looked at, for example {@code accelerator}
 * @param finding one sentence
 * @param fix what to do; empty where nothing is to be done
 */
public record HealthCheck(String name, Verdict verdict, String finding, String fix) {
    /** How much it matters. */
    public enum Verdict {
        /** As it should be. */
        OK,
        /** Sandboxes run, slower or with less than they could. */
        WARNING,
        /** Sandboxes do not run until it is fixed. */
        FAILURE
    }
}
