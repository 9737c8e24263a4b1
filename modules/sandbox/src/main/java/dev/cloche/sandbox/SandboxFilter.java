package dev.cloche.sandbox;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Says which sandboxes to list; what is empty asks for nothing.
 *
 * @param statuses any of these
 * @param labels all of these: a key with its value, or a key alone where the value is empty
 * @param image as it was asked for
 * @param before only sandboxes with a smaller id, which are older: where the page before ended
 * @param limit how many at most; positive
 */
public record SandboxFilter(
        Set<SandboxStatus> statuses,
        Map<String, Optional<String>> labels,
        Optional<String> image,
        OptionalLong before,
        int limit) {
    private static final SandboxFilter ALL =
            new SandboxFilter(Set.of(), Map.of(), Optional.empty(), OptionalLong.empty(), Integer.MAX_VALUE);

    public SandboxFilter {
        statuses = Set.copyOf(statuses);
        labels = Map.copyOf(labels);
        if (limit < 1) {
            throw new SandboxException.InvalidSpecification(
                    "A list of " + limit + " sandboxes cannot be.", "Give a positive limit.");
        }
    }

    /** Returns every sandbox. */
    public static SandboxFilter all() {
        return ALL;
    }

    public SandboxFilter withStatuses(Set<SandboxStatus> value) {
        return new SandboxFilter(value, labels, image, before, limit);
    }

    public SandboxFilter withLabels(Map<String, Optional<String>> value) {
        return new SandboxFilter(statuses, value, image, before, limit);
    }

    public SandboxFilter withImage(String value) {
        return new SandboxFilter(statuses, labels, Optional.of(value), before, limit);
    }

    public SandboxFilter withBefore(long id) {
        return new SandboxFilter(statuses, labels, image, OptionalLong.of(id), limit);
    }

    public SandboxFilter withLimit(int value) {
        return new SandboxFilter(statuses, labels, image, before, value);
    }
}
