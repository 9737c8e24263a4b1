package dev.cloche;

/**
 * One thing that Cloche needs of its host, as found by {@link Cloche#examine(ClocheOptions)}.
 *
 * <pre>{@code
 * boolean usable = Cloche.examine(options).stream().noneMatch(check -> check.verdict() == HealthCheck.Verdict.FAILURE);
 * }</pre>
 *
 * @param name what was looked at, for example {@code accelerator}
 * @param verdict how much it matters
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
