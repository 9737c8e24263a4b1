package dev.cloche.sandbox.record;

import dev.cloche.sandbox.SandboxFilter;
import dev.cloche.sandbox.SandboxStatus;
import java.util.ArrayList;
import java.util.List;

/** Describes a filter of sandboxes in SQL, on {@code sandbox s}. */
record SandboxCondition(String sql, List<Object> parameters) {
    static SandboxCondition of(SandboxFilter filter) {
        List<String> parts = new ArrayList<>(List.of("TRUE"));
        List<Object> parameters = new ArrayList<>();
        if (!filter.statuses().isEmpty()) {
            parts.add("s.status IN (" + "?, ".repeat(filter.statuses().size() - 1) + "?)");
            filter.statuses().stream().map(SandboxStatus::name).sorted().forEach(parameters::add);
        }
        filter.labels().forEach((key, value) -> {
            parts.add("s.id IN (SELECT sandbox_id FROM sandbox_label WHERE key = ?"
                    + (value.isPresent() ? " AND value = ?)" : ")"));
            parameters.add(key);
            value.ifPresent(parameters::add);
        });
        filter.image().ifPresent(reference -> {
            parts.add("s.image = ?");
            parameters.add(reference);
        });
        filter.before().ifPresent(id -> {
            parts.add("s.id < ?");
            parameters.add(id);
        });
        parameters.add(filter.limit());
        return new SandboxCondition(
                "WHERE " + String.join(" AND ", parts) + " ORDER BY s.id DESC LIMIT ?", List.copyOf(parameters));
    }
}
