package dev.cloche.process.testing;

import dev.cloche.process.Change;
import dev.cloche.process.ChangePage;
import dev.cloche.process.ProcessException;
import dev.cloche.process.store.FeedPositions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The feed of an {@link InMemoryProcessStore}. Each change of it gives away what undoes it. Guarded by the lock of its store. */
final class InMemoryFeed {
    private final TreeMap<Long, Change> entries = new TreeMap<>();
    /** Of the entries that are no events, by process. */
    private final Map<String, EnumMap<Change.Kind, Long>> latest = new HashMap<>();

    private final Map<String, List<Long>> events = new HashMap<>();
    private final TreeSet<Long> prunes = new TreeSet<>();
    private long last;
    private long forgotten;

    void add(Change change, Consumer<Runnable> undo) {
        long position = ++last;
        undo.accept(() -> last--);
        if (change.kind() != Change.Kind.EVENT) {
            Optional.ofNullable(latest.getOrDefault(change.processId(), new EnumMap<>(Change.Kind.class))
                            .get(change.kind()))
                    .ifPresent(earlier -> remove(earlier, undo));
        }
        put(position, change);
        undo.accept(() -> take(position));
    }

    /** Removes all of a process but its prune. */
    void bury(String processId, Consumer<Runnable> undo) {
        List<Long> positions = new ArrayList<>(events.getOrDefault(processId, List.of()));
        latest.getOrDefault(processId, new EnumMap<>(Change.Kind.class)).forEach((kind, position) -> {
            if (kind != Change.Kind.PRUNED) {
                positions.add(position);
            }
        });
        positions.forEach(position -> remove(position, undo));
    }

    /** Removes the oldest prunes until so many are left. */
    void forget(int remembered, Consumer<Runnable> undo) {
        long before = forgotten;
        undo.accept(() -> forgotten = before);
        while (prunes.size() > remembered) {
            forgotten = prunes.first();
            remove(forgotten, undo);
        }
    }

    ChangePage page(Optional<String> after, int limit) {
        FeedPositions from =
                after.map(cursor -> FeedPositions.parse(cursor, last)).orElseGet(() -> FeedPositions.beginning(last));
        if (after.isPresent() && from.isBelow(forgotten)) {
            throw new ProcessException.FeedForgotten();
        }
        List<Change> page = new ArrayList<>();
        long reached = from.position();
        for (Map.Entry<Long, Change> entry :
                entries.tailMap(from.position(), false).entrySet()) {
            if (page.size() == limit) {
                break;
            }
            if (entry.getValue().kind() != Change.Kind.PRUNED || entry.getKey() > from.since()) {
                page.add(entry.getValue());
                reached = entry.getKey();
            }
        }
        return new ChangePage(page, from.after(reached, page.size() == limit).text());
    }

    private void remove(long position, Consumer<Runnable> undo) {
        Change removed = take(position);
        undo.accept(() -> put(position, removed));
    }

    private void put(long position, Change change) {
        entries.put(position, change);
        if (change.kind() == Change.Kind.EVENT) {
            events.computeIfAbsent(change.processId(), _ -> new ArrayList<>()).add(position);
            return;
        }
        latest.computeIfAbsent(change.processId(), _ -> new EnumMap<>(Change.Kind.class))
                .put(change.kind(), position);
        if (change.kind() == Change.Kind.PRUNED) {
            prunes.add(position);
        }
    }

    private Change take(long position) {
        Change change = Optional.ofNullable(entries.remove(position)).orElseThrow();
        prunes.remove(position);
        if (change.kind() == Change.Kind.EVENT) {
            events.computeIfPresent(change.processId(), (_, positions) -> {
                // What is undone is the last.
                positions.remove(positions.lastIndexOf(position));
                return positions.isEmpty() ? null : positions;
            });
        } else {
            latest.computeIfPresent(change.processId(), (_, kinds) -> {
                kinds.remove(change.kind());
                return kinds.isEmpty() ? null : kinds;
            });
        }
        return change;
    }
}
