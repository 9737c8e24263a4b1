package dev.cloche;

import java.util.List;
import java.util.OptionalLong;

/**
 * A part of a list of sandboxes; {@link SandboxQuery} has an example.
 *
 * @param sandboxes the newest first; there may be fewer than the limit although there are more
 * @param next what to give to {@link SandboxQuery#before} for the next part; empty at the end
 */
public record SandboxList(List<SandboxInfo> sandboxes, OptionalLong next) {
    public SandboxList {
        sandboxes = List.copyOf(sandboxes);
    }
}
