package dev.cloche.process.registry;

import dev.cloche.base.Deadline;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Change;
import dev.cloche.process.EventType;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessException;
import dev.cloche.process.rules.RegistrationRules;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreReads;
import dev.cloche.process.value.PageLimits;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** Waits for what other callers commit. Safe for use from many threads. */
final class AwaitOperations {
    /** So that a caller without time to wait is told what there is, also on a busy host. */
    private static final Duration ONE_LOOK = Duration.ofSeconds(2);

    /** What can make a process claimable, but for time. */
    private static final Set<Change.Kind> OFFERS = EnumSet.of(Change.Kind.REGISTERED, Change.Kind.RELEASED);

    private final ProcessStore store;
    private final CommitWaiters waiters;
    private final DeclarationCache declarations;

    AwaitOperations(ProcessStore store, CommitWaiters waiters, DeclarationCache declarations) {
        this.store = store;
        this.waiters = waiters;
        this.declarations = declarations;
    }

    /**
     * What a look found.
     *
     * @param life of the process that was looked at
     * @param interest in what may make the next look find something
     */
    private record Look<T>(Optional<T> found, Life life, Predicate<Change> interest) {}

    /** Describes one life of an id. Each has an event at least, so no two have the same first sequence. */
    private record Life(String hash, long firstSequence) {}

    /** Says what is looked for in a process that is there. */
    private interface Seeking<T> {
        Optional<T> find(StoreReads reads, ProcessHead process);

        /** Returns whether an event of a type can be it. */
        boolean isOf(RegistrationRules.Prepared declared, String type);
    }

    AwaitOutput end(String id, Deadline deadline) {
        return await(id, "the end of the process \"" + id + "\"", deadline, new Seeking<AwaitOutput>() {
            @Override
            public Optional<AwaitOutput> find(StoreReads reads, ProcessHead process) {
                return process.status().terminal()
                        ? RequiredRows.record(reads, id).output()
                        : Optional.empty();
            }

            @Override
            public boolean isOf(RegistrationRules.Prepared declared, String type) {
                return type.equals(EventType.ABANDONED)
                        || declared.registration().eventTypes().stream()
                                .anyMatch(each -> each.terminal().isPresent()
                                        && each.name().equals(type));
            }
        });
    }

    ProcessEvent event(String id, String type, long sequence, Deadline deadline) {
        String what = "an event of type \"" + type + "\" of the process \"" + id + "\"";
        return await(id, what, deadline, new Seeking<ProcessEvent>() {
            @Override
            public Optional<ProcessEvent> find(StoreReads reads, ProcessHead process) {
                boolean possible = RegistrationRules.REGISTRYS_OWN.contains(type)
                        || declarations.of(reads, process).registration().eventTypes().stream()
                                .anyMatch(each -> each.name().equals(type));
                if (!possible) {
                    throw new ProcessException.UndeclaredType(id, type);
                }
                return reads.firstEvent(process, type, sequence);
            }

            @Override
            public boolean isOf(RegistrationRules.Prepared declared, String other) {
                return other.equals(type);
            }
        });
    }

    List<ProcessEvent> events(String id, long sequence, int limit, Deadline deadline) {
        PageLimits.require(limit);
        return await(id, "an event of the process \"" + id + "\"", deadline, new Seeking<List<ProcessEvent>>() {
            @Override
            public Optional<List<ProcessEvent>> find(StoreReads reads, ProcessHead process) {
                return Optional.of(reads.events(process, sequence, limit)).filter(events -> !events.isEmpty());
            }

            @Override
            public boolean isOf(RegistrationRules.Prepared declared, String type) {
                return true;
            }
        });
    }

    /** A wait is for the life that it began with. */
    private <T> T await(String id, String what, Deadline deadline, Seeking<T> seeking) {
        Look<T> first = look(what, deadline, reads -> lookAt(reads, id, seeking));
        if (first.found().isPresent()) {
            return first.found().get();
        }
        store.watchOthers(deadline);
        try (CommitWaiters.Waiter waiter = waiters.enter(id, first.interest())) {
            while (true) {
                Look<T> next = look(what, deadline, reads -> lookAt(reads, id, seeking));
                if (!next.life().equals(first.life())) {
                    throw look(what, deadline, reads -> RequiredRows.unknown(reads, id));
                }
                if (next.found().isPresent()) {
                    return next.found().get();
                }
                if (!waiter.await(what, deadline)) {
                    throw new ProcessException.TimedOut(what);
                }
            }
        }
    }

    private <T> Look<T> lookAt(StoreReads reads, String id, Seeking<T> seeking) {
        ProcessHead process = RequiredRows.head(reads, id);
        RegistrationRules.Prepared declared = declarations.of(reads, process);
        return new Look<>(
                seeking.find(reads, process),
                new Life(process.hash(), process.firstSequence()),
                // What is no event may be the end of this life.
                change -> change.eventType()
                        .filter(type -> !seeking.isOf(declared, type))
                        .isEmpty());
    }

    /** Returns whether there may be something to be claimed; false if the deadline has passed before. */
    boolean claimable(Set<String> inputTypes, Set<String> hostProfiles, Deadline deadline) {
        try {
            return lookForClaimable(inputTypes, hostProfiles, deadline);
        } catch (ProcessException.TimedOut tooLong) {
            return false;
        }
    }

    private boolean lookForClaimable(Set<String> inputTypes, Set<String> hostProfiles, Deadline deadline) {
        if (inputTypes.isEmpty()) {
            throw new ProcessException.Invalid("a worker names the input types that it can drive");
        }
        String what = "a process to be claimed";
        store.watchOthers(deadline);
        try (CommitWaiters.Waiter waiter = waiters.enter(change -> OFFERS.contains(change.kind()))) {
            while (true) {
                Optional<Duration> left =
                        look(what, deadline, reads -> untilClaimable(reads, inputTypes, hostProfiles));
                if (left.filter(Duration::isZero).isPresent()) {
                    return true;
                }
                if (deadline.passed()) {
                    return false;
                }
                // To the end of the first lease or pause, which is known beforehand.
                var _ = waiter.await(what, left.map(deadline::orAfter).orElse(deadline));
            }
        }
    }

    private static Optional<Duration> untilClaimable(
            StoreReads reads, Set<String> inputTypes, Set<String> hostProfiles) {
        long now = reads.now().ticks();
        return inputTypes.stream()
                .map(type -> reads.claimableAt(type, hostProfiles))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(ticks -> Duration.ofMillis(Math.max(0, ticks - now)));
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
