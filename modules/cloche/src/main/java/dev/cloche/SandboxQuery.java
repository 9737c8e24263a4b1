package dev.cloche;

import dev.cloche.sandbox.SandboxFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which sandboxes to list. Immutable.
 *
 * <pre>{@code
 * SandboxList page = cloche.sandboxes().list(SandboxQuery.all().label("team", "search").status("running").limit(100));
 * while (page.next().isPresent()) {
 *     page = cloche.sandboxes().list(SandboxQuery.all().limit(100).before(page.next().getAsLong()));
 * }
 * }</pre>
 */
public final class SandboxQuery {
    private static final SandboxQuery ALL = new SandboxQuery(SandboxFilter.all());

    private final SandboxFilter filter;

    private SandboxQuery(SandboxFilter filter) {
        this.filter = filter;
    }

    /** Every sandbox. */
    public static SandboxQuery all() {
        return ALL;
    }

    /**
     * Those in one of these statuses, such as {@code running}.
     *
     * @throws dev.cloche.base.ClocheException if one is no status
     */
    public SandboxQuery status(String... statuses) {
        return new SandboxQuery(filter.withStatuses(SandboxStatuses.parse(List.of(statuses))));
    }

    /** Those with this label, besides the ones asked for before. */
    public SandboxQuery label(String key, String value) {
        return withLabel(key, Optional.of(value));
    }

    /** Those with a label of this key, whatever its value, besides the ones asked for before. */
    public SandboxQuery label(String key) {
        return withLabel(key, Optional.empty());
    }

    private SandboxQuery withLabel(String key, Optional<String> value) {
        Map<String, Optional<String>> labels = new HashMap<>(filter.labels());
        labels.put(key, value);
        return new SandboxQuery(filter.withLabels(labels));
    }

    /** Those of this image, as it was given when they were made. */
    public SandboxQuery image(String reference) {
        return new SandboxQuery(filter.withImage(reference));
    }

    /** At most so many at once; positive. */
    public SandboxQuery limit(int most) {
        return new SandboxQuery(filter.withLimit(most));
    }

    /** Those older than this id: what {@link SandboxList#next()} of the page before says. */
    public SandboxQuery before(long id) {
        return new SandboxQuery(filter.withBefore(id));
    }

    SandboxFilter filter() {
        return filter;
    }
}
