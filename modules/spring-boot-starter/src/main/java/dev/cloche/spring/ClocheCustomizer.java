package dev.cloche.spring;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;

/**
 * Changes the options with which Cloche is opened, and is told when it is: a bean of the application. All that there are are
 * asked, in their order.
 *
 * <pre>{@code
 * @Bean
 * ClocheCustomizer maintenance() {
 *     return options -> options.withMaintenance(…);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface ClocheCustomizer {
    /** Returns what the options are to be. */
    ClocheOptions customize(ClocheOptions options);

    /** Hears that it is open. */
    default void opened(Cloche cloche) {}
}
