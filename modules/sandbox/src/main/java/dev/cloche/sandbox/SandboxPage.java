package dev.cloche.sandbox;

import java.util.List;
import java.util.OptionalLong;

/**
 * Describes a part of a list.
 *
 * @param sandboxes the newest first; may be fewer than the limit although there are more, because some of them have
 *     just turned out to have ended
 * @param next where the next part begins; empty at the end of the list
 */
public record SandboxPage(List<SandboxRecord> sandboxes, OptionalLong next) {
    public SandboxPage {
        sandboxes = List.copyOf(sandboxes);
    }
}
