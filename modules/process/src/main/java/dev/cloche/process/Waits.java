package dev.cloche.process;

import dev.cloche.base.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Waiting for what others commit. Safe for use from many threads. */
final class Waits {
    private final ProcessStore store;
    private final Waiters waiters;
    private final Declarations declarations;

    Waits(ProcessStore store, Waiters waiters, Declarations declarations) {
        this.store = store;
        this.waiters = waiters;
        this.declarations = declarations;
    }

    AwaitOutput end(String id, Deadline deadline) {
        Set<String> ends = declarations.of(id).registration().eventTypes().stream()
                .filter(type -> type.terminal().isPresent())
                .map(EventType::name)
                .collect(Collectors.toSet());
        ends.add(EventType.ABANDONED);
        return await(
                id,
                "the end of the process \"" + id + "\"",
                change ->
                        change.eventType().filter(type -> !ends.contains(type)).isEmpty(),
                deadline,
                reads -> Rows.head(reads, id).status().terminal()
                        ? Rows.record(reads, id).output()
                        : Optional.empty());
    }

    ProcessEvent event(String id, String type, long sequence, Deadline deadline) {
        boolean declared = declarations.of(id).registration().eventTypes().stream()
                .anyMatch(each -> each.name().equals(type));
        if (!declared && !type.equals(EventType.ABANDONED)) {
            throw new ProcessException.UndeclaredType(id, type);
        }
        return await(
                id,
                "an event of type \"" + type + "\" of the process \"" + id + "\"",
                change ->
                        change.eventType().filter(other -> !other.equals(type)).isEmpty(),
                deadline,
                reads -> reads.firstEvent(Rows.head(reads, id), type, sequence));
    }

    List<ProcessEvent> events(String id, long sequence, int limit, Deadline deadline) {
        Pages.require(limit);
        return await(
                id,
                "an event of the process \"" + id + "\"",
                _ -> true,
                deadline,
                reads -> Optional.of(reads.events(Rows.head(reads, id), sequence, limit))
                        .filter(events -> !events.isEmpty()));
    }

    private <T> T await(
            String id,
            String what,
            Predicate<Change> interest,
            Deadline deadline,
            Function<StoreReads, Optional<T>> look) {
        Optional<T> already = store.read(look::apply);
        if (already.isPresent()) {
            return already.get();
        }
        store.watchOthers();
        try (Waiters.Waiter waiter = waiters.enter(id, interest)) {
            while (true) {
                Optional<T> found = store.read(look::apply);
                if (found.isPresent()) {
                    return found.get();
                }
                if (!waiter.await(what, deadline)) {
                    throw new ProcessException.TimedOut(what);
                }
            }
        }
    }
}
