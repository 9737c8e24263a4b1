package dev.cloche.sandbox;

import java.util.ArrayList;
import java.util.List;
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

    /** Describes the condition in SQL, on {@code sandbox s}. */
    public record Condition(String sql, List<Object> parameters) {}

    public Condition condition() {
        List<String> parts = new ArrayList<>(List.of("TRUE"));
        List<Object> parameters = new ArrayList<>();
        if (!statuses.isEmpty()) {
            parts.add("s.status IN (" + "?, ".repeat(statuses.size() - 1) + "?)");
            statuses.stream().map(SandboxStatus::name).sorted().forEach(parameters::add);
        }
        labels.forEach((key, value) -> {
            parts.add("s.id IN (SELECT sandbox_id FROM sandbox_label WHERE key = ?"
                    + (value.isPresent() ? " AND value = ?)" : ")"));
            parameters.add(key);
            value.ifPresent(parameters::add);
        });
        image.ifPresent(reference -> {
            parts.add("s.image = ?");
            parameters.add(reference);
        });
        before.ifPresent(id -> {
            parts.add("s.id < ?");
            parameters.add(id);
        });
        parameters.add(limit);
        return new Condition(
                "WHERE " + String.join(" AND ", parts) + " ORDER BY s.id DESC LIMIT ?", List.copyOf(parameters));
    }
}
