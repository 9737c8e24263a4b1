package dev.cloche;

import dev.cloche.sandbox.SandboxFilter;
import dev.cloche.sandbox.SandboxStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Selects the sandboxes of a list. Immutable.
 *
 * <pre>{@code
 * SandboxList page = cloche.sandboxes().list(SandboxQuery.all().label("team", "search").status(RUNNING).limit(100));
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

    /** Selects every sandbox. */
    public static SandboxQuery all() {
        return ALL;
    }

    /** Selects those in one of these statuses. */
    public SandboxQuery status(SandboxStatus... statuses) {
        return new SandboxQuery(filter.withStatuses(Set.of(statuses)));
    }

    /** Selects those with this label, besides the ones that were named before. */
    public SandboxQuery label(String key, String value) {
        return withLabel(key, Optional.of(value));
    }

    /** Selects those with a label of this key and any value, besides the ones that were named before. */
    public SandboxQuery label(String key) {
        return withLabel(key, Optional.empty());
    }

    private SandboxQuery withLabel(String key, Optional<String> value) {
        Map<String, Optional<String>> labels = new HashMap<>(filter.labels());
        labels.put(key, value);
        return new SandboxQuery(filter.withLabels(labels));
    }

    /** Selects those of this image, as it was given when they were made. */
    public SandboxQuery image(String reference) {
        return new SandboxQuery(filter.withImage(reference));
    }

    /** Limits a part of the list to so many sandboxes; positive. */
    public SandboxQuery limit(int most) {
        return new SandboxQuery(filter.withLimit(most));
    }

    /** Selects those older than this id: what {@link SandboxList#next()} of the part before says. */
    public SandboxQuery before(long id) {
        return new SandboxQuery(filter.withBefore(id));
    }

    SandboxFilter filter() {
        return filter;
    }
}
