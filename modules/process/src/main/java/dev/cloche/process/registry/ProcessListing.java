package dev.cloche.process.registry;

import dev.cloche.process.ProcessCount;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.ProcessView;
import dev.cloche.process.rules.ViewRules;
import dev.cloche.process.store.CodePoints;
import dev.cloche.process.store.ProcessStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lists and counts processes. What is no column of a store is looked at here, page by page. Safe for use from many threads.
 */
final class ProcessListing {
    private static final int PAGE = 1_000;

    private final ProcessStore store;

    ProcessListing(ProcessStore store) {
        this.store = store;
    }

    List<ProcessView> views(ProcessQuery query) {
        List<ProcessView> found = new ArrayList<>();
        ProcessQuery next = isByColumns(query) ? query : query.withLimit(PAGE);
        while (true) {
            ProcessQuery asked = next;
            List<ProcessView> page = store.read(reads -> reads.snapshots(asked).stream()
                    .map(snapshot -> ViewRules.view(snapshot, reads.now()))
                    .toList());
            page.stream()
                    .filter(view -> accepts(query, view.process().registration()))
                    .limit(query.limit() - found.size())
                    .forEach(found::add);
            if (page.size() < asked.limit() || found.size() == query.limit()) {
                return List.copyOf(found);
            }
            next = asked.after(page.getLast().process().id());
        }
    }

    List<ProcessCount> counts(ProcessQuery query) {
        if (isByColumns(query)) {
            return store.read(reads -> reads.counts(query));
        }
        Map<String, ProcessCount> counts = new TreeMap<>(CodePoints.ORDER);
        ProcessQuery page = query.withLimit(ProcessRegistry.LARGEST_PAGE);
        while (true) {
            List<ProcessView> views = views(page);
            for (ProcessView view : views) {
                ProcessStatus status = view.process().status();
                String type = view.process().registration().input().type();
                counts.merge(
                        type + "\n" + status.word(),
                        new ProcessCount(type, status, 1),
                        (one, two) -> new ProcessCount(type, status, one.count() + two.count()));
            }
            if (views.size() < page.limit()) {
                return List.copyOf(counts.values());
            }
            page = page.after(views.getLast().process().id());
        }
    }

    /** Returns whether only those parts are asked for that are columns of every store. */
    private static boolean isByColumns(ProcessQuery query) {
        return query.session().isEmpty() && query.text().isEmpty();
    }

    /** The rest: what stands in the registration alone. */
    private static boolean accepts(ProcessQuery query, ProcessRegistration process) {
        String owner = process.provenance().ownerScope().session();
        return query.session().filter(id -> !id.equals(owner)).isEmpty()
                && query.text()
                        .map(part -> part.toLowerCase(Locale.ROOT))
                        .filter(part -> !contains(process.id(), part)
                                && !contains(process.input().type(), part)
                                && !contains(owner, part)
                                && !contains(process.input().payload().text(), part))
                        .isEmpty();
    }

    private static boolean contains(String text, String part) {
        return text.toLowerCase(Locale.ROOT).contains(part);
    }
}
