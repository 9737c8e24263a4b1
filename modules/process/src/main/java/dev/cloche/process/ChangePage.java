package dev.cloche.process;

import java.util.List;

/**
 * Describes a part of the change feed.
 *
 * @param next where the next part begins; to be kept by the reader. It is opaque, and only good for the store that gave
 *     it
 */
public record ChangePage(List<Change> changes, String next) {
    public ChangePage {
        changes = List.copyOf(changes);
    }
}
