package dev.cloche.sandbox.snapshot;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.sandbox.ChildSpec;
import dev.cloche.sandbox.ForkOutcome;
import dev.cloche.sandbox.Forked;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.SandboxSnapshots;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.snapshot.ChildStarts.Child;
import dev.cloche.sandbox.warm.Stopwatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * Asks for sandboxes that go on where another is now: a snapshot that goes again once all of them have begun with it.
 */
public record ForkRequest(
        SnapshotContext snapshots,
        SnapshotTaking taking,
        ChildStarts starts,
        SandboxRecord parent,
        List<ChildSpec> children) {
    public ForkRequest {
        if (children.isEmpty() || children.size() > SandboxSnapshots.MOST_CHILDREN) {
            throw new SandboxException.InvalidSpecification(
                    children.size() + " children are out of range.",
                    "Give 1 to " + SandboxSnapshots.MOST_CHILDREN + ".");
        }
        children = List.copyOf(children);
    }

    /**
     * Makes all of them, or none.
     *
     * @param take what has a child from then on
     */
    public <T> Forked<T> perform(Function<Child, T> take, Deadline deadline) {
        return fromSnapshot(
                taken -> startAll(taken, deadline).stream().map(take).toList(), deadline);
    }

    /**
     * Makes those that can be made.
     *
     * @param take what has a child from then on
     */
    public <T> Forked<ForkOutcome<T>> performEach(Function<Child, T> take, Deadline deadline) {
        return fromSnapshot(
                taken -> startEach(taken, deadline).stream()
                        .map(outcome -> outcome.<T>with(take))
                        .toList(),
                deadline);
    }

    private <T> Forked<T> fromSnapshot(Function<SandboxSnapshot, List<T>> start, Deadline deadline) {
        Stopwatch total = Stopwatch.start();
        SnapshotContext.Place place = taking.take(parent, Optional.empty(), deadline);
        try (OwnerLock lock = place.lock()) {
            try {
                SandboxSnapshot taken = snapshots
                        .store()
                        .byId(place.id())
                        .orElseThrow(() -> new SandboxException.NoSnapshot(parent.name()));
                return new Forked<>(start.apply(taken), taken.pause().orElseThrow(), total.elapsed());
            } finally {
                Uninterrupted.run(() -> snapshots.tryDiscard(place.id(), lock));
            }
        }
    }

    private List<Child> startAll(SandboxSnapshot snapshot, Deadline deadline) {
        return startEach(snapshot, child -> starts.start(snapshot, child, deadline), Optional::of);
    }

    /** A child that does not come up is an answer; what is no {@link ClocheException} ends them all. */
    private List<ForkOutcome<Child>> startEach(SandboxSnapshot snapshot, Deadline deadline) {
        return startEach(
                snapshot,
                child -> {
                    try {
                        return new ForkOutcome.Started<>(starts.start(snapshot, child, deadline));
                    } catch (SandboxException.Interrupted ended) {
                        // By this request, for all.
                        throw ended;
                    } catch (ClocheException failure) {
                        return new ForkOutcome.Failed<>(failure.code(), failure.sentence(), failure.remedy());
                    }
                },
                ForkOutcome::started);
    }

    /**
     * Starts as many at once as the host has processors, for a restore is work for one.
     *
     * @param child of what a start has come to
     */
    private <R> List<R> startEach(
            SandboxSnapshot snapshot, Function<ChildSpec, R> start, Function<R, Optional<Child>> child) {
        int width = Math.min(children.size(), Runtime.getRuntime().availableProcessors());
        List<Future<R>> begun = new ArrayList<>();
        try (ExecutorService workers =
                Executors.newFixedThreadPool(width, Thread.ofVirtual().factory())) {
            for (ChildSpec spec : children) {
                begun.add(workers.submit(() -> start.apply(spec)));
            }
            try {
                List<R> ended = new ArrayList<>();
                for (Future<R> one : begun) {
                    ended.add(one.get());
                }
                return ended;
            } catch (InterruptedException | ExecutionException failure) {
                workers.shutdownNow();
                throw failure;
            }
        } catch (InterruptedException | ExecutionException failure) {
            // The executor has waited for all: those that had begun have come up, or failed and left nothing.
            RuntimeException why = failureOf(snapshot, failure);
            begun.stream()
                    .filter(one -> one.state() == Future.State.SUCCESS)
                    .flatMap(one -> child.apply(one.resultNow()).stream())
                    .forEach(up -> starts.drop(up, why));
            throw why;
        }
    }

    private static RuntimeException failureOf(SandboxSnapshot snapshot, Exception failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new SandboxException.Interrupted(snapshot.source());
        }
        return failure.getCause() instanceof RuntimeException known
                ? known
                : new IllegalStateException(failure.getCause());
    }
}
