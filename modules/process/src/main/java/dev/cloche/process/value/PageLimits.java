package dev.cloche.process.value;

import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessRegistry;

/** Checks the size of what is read at once. */
public final class PageLimits {
    private PageLimits() {}

    public static int require(int limit) {
        if (limit < 1 || limit > ProcessRegistry.LARGEST_PAGE) {
            throw new ProcessException.Invalid(
                    "a page has 1 to " + ProcessRegistry.LARGEST_PAGE + " entries, not " + limit);
        }
        return limit;
    }
}
