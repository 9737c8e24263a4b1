package dev.cloche.process;

/** The size of what is read at once. */
final class Pages {
    private Pages() {}

    static int require(int limit) {
        if (limit < 1 || limit > ProcessRegistry.LARGEST_PAGE) {
            throw new ProcessException.Invalid(
                    "a page has 1 to " + ProcessRegistry.LARGEST_PAGE + " entries, not " + limit);
        }
        return limit;
    }
}
