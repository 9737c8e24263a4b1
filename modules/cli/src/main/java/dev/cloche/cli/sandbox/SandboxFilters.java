package dev.cloche.cli.sandbox;

import dev.cloche.SandboxQuery;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.sandbox.SandboxStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Parses {@code --filter} for sandboxes. */
final class SandboxFilters {
    private static final List<SandboxStatus> ACTIVE = Stream.of(SandboxStatus.values())
            .filter(status -> status.active() || status.suspends())
            .toList();

    private SandboxFilters() {}

    /**
     * Returns the query for some filters.
     *
     * @param all whether those that do not run are meant, too, where no status is asked for
     * @throws UsageError if one has another form
     */
    static SandboxQuery query(List<String> filters, boolean all) {
        SandboxQuery query = SandboxQuery.all();
        List<SandboxStatus> statuses = new ArrayList<>();
        for (String filter : filters) {
            String value = filter.substring(filter.indexOf('=') + 1);
            if (filter.startsWith("status=")) {
                statuses.add(SandboxStatus.parse(value));
            } else if (filter.startsWith("label=")) {
                int equals = value.indexOf('=');
                query = equals < 0
                        ? query.label(value)
                        : query.label(value.substring(0, equals), value.substring(equals + 1));
            } else if (filter.startsWith("image=")) {
                query = query.image(value);
            } else {
                throw new UsageError(
                        "\"" + filter + "\" is no filter for sandboxes.",
                        "Write status=STATUS, label=KEY, label=KEY=VALUE or image=REFERENCE.");
            }
        }
        if (statuses.isEmpty() && !all) {
            statuses.addAll(ACTIVE);
        }
        return statuses.isEmpty() ? query : query.status(statuses.toArray(SandboxStatus[]::new));
    }
}
