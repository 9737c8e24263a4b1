package dev.cloche.process;

import java.util.Optional;

/**
 * A page of processes, by id.
 *
 * @param after ids greater than this one, compared by code points
 * @param limit from 1 to {@link ProcessRegistry#LARGEST_PAGE}
 */
public record ProcessQuery(boolean runningOnly, Optional<String> after, int limit) {
    public ProcessQuery {
        Pages.require(limit);
    }
}
