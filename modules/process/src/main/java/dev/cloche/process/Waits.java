package dev.cloche.process;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Waiting for what others commit. Safe for use from many threads. */
final class Waits {
    /** So that whoever has no time to wait is told what there is. */
    private static final Duration ONE_LOOK = Duration.ofMillis(250);

    /** What can make a process claimable, but for time. */
    private static final Set<Change.Kind> OFFERS = EnumSet.of(Change.Kind.REGISTERED, Change.Kind.RELEASED);

    private final ProcessStore store;
    private final Waiters waiters;
    private final Declarations declarations;

    Waits(ProcessStore store, Waiters waiters, Declarations declarations) {
        this.store = store;
        this.waiters = waiters;
        this.declarations = declarations;
    }

    AwaitOutput end(String id, Deadline deadline) {
        String what = "the end of the process \"" + id + "\"";
        Set<String> ends = declared(id, what, deadline).stream()
                .filter(type -> type.terminal().isPresent())
                .map(EventType::name)
                .collect(Collectors.toSet());
        ends.add(EventType.ABANDONED);
        return await(
                id,
                what,
                change ->
                        change.eventType().filter(type -> !ends.contains(type)).isEmpty(),
                deadline,
                reads -> Rows.head(reads, id).status().terminal()
                        ? Rows.record(reads, id).output()
                        : Optional.empty());
    }

    ProcessEvent event(String id, String type, long sequence, Deadline deadline) {
        String what = "an event of type \"" + type + "\" of the process \"" + id + "\"";
        boolean declared = declared(id, what, deadline).stream()
                .anyMatch(each -> each.name().equals(type));
        if (!declared && !type.equals(EventType.ABANDONED)) {
            throw new ProcessException.UndeclaredType(id, type);
        }
        return await(
                id,
                what,
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
        Optional<T> already = look(what, deadline, look);
        if (already.isPresent()) {
            return already.get();
        }
        store.watchOthers(deadline);
        try (Waiters.Waiter waiter = waiters.enter(id, interest)) {
            while (true) {
                Optional<T> found = look(what, deadline, look);
                if (found.isPresent()) {
                    return found.get();
                }
                if (!waiter.await(what, deadline)) {
                    throw new ProcessException.TimedOut(what);
                }
            }
        }
    }

    /** Whether there may be something to be claimed; false if the deadline has passed before. */
    boolean claimable(Set<String> inputTypes, Deadline deadline) {
        if (inputTypes.isEmpty()) {
            throw new ProcessException.Invalid("a worker names the input types that it can drive");
        }
        String what = "a process to be claimed";
        store.watchOthers(deadline);
        try (Waiters.Waiter waiter = waiters.enter(change -> OFFERS.contains(change.kind()))) {
            while (true) {
                Optional<Duration> left = look(what, deadline, reads -> untilClaimable(reads, inputTypes));
                if (left.filter(Duration::isZero).isPresent()) {
                    return true;
                }
                if (deadline.passed()) {
                    return false;
                }
                // To the end of the first lease, which is known beforehand.
                var _ = waiter.await(what, left.map(deadline::orAfter).orElse(deadline));
            }
        }
    }

    private static Optional<Duration> untilClaimable(StoreReads reads, Set<String> inputTypes) {
        long now = reads.now().ticks();
        return inputTypes.stream()
                .map(reads::claimableAt)
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(ticks -> Duration.ofMillis(Math.max(0, ticks - now)));
    }

    private List<EventType> declared(String id, String what, Deadline deadline) {
        return inTime(what, deadline, bound -> declarations.of(id, bound))
                .registration()
                .eventTypes();
    }

    private <T> T look(String what, Deadline deadline, Function<StoreReads, T> look) {
        return inTime(what, deadline, bound -> store.read(look::apply, bound));
    }

    /** A store that does not answer before the deadline is nothing but late. */
    private static <T> T inTime(String what, Deadline deadline, Function<Deadline, T> read) {
        boolean oneLook = deadline.remainingNanos() < ONE_LOOK.toNanos();
        try {
            return read.apply(oneLook ? Deadline.after(ONE_LOOK) : deadline);
        } catch (ProcessException.StoreFailed e) {
            if (deadline.passed()) {
                ProcessException late = new ProcessException.TimedOut(what);
                late.addSuppressed(e);
                throw late;
            }
            throw e;
        }
    }
}
