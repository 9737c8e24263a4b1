package dev.cloche.sandbox.snapshot;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.sandbox.ChildSpec;
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
        Stopwatch total = Stopwatch.start();
        SnapshotContext.Place place = taking.take(parent, Optional.empty(), deadline);
        try (OwnerLock lock = place.lock()) {
            try {
                SandboxSnapshot taken = snapshots
                        .store()
                        .byId(place.id())
                        .orElseThrow(() -> new SandboxException.NoSnapshot(parent.name()));
                List<T> handles = startAll(taken, deadline).stream().map(take).toList();
                return new Forked<>(handles, taken.pause().orElseThrow(), total.elapsed());
            } finally {
                Uninterrupted.run(() -> snapshots.tryDiscard(place.id(), lock));
            }
        }
    }

    /** As many at once as the host has processors, for a restore is work for one. */
    private List<Child> startAll(SandboxSnapshot snapshot, Deadline deadline) {
        int width = Math.min(children.size(), Runtime.getRuntime().availableProcessors());
        List<Future<Child>> begun = new ArrayList<>();
        try (ExecutorService workers =
                Executors.newFixedThreadPool(width, Thread.ofVirtual().factory())) {
            for (ChildSpec child : children) {
                begun.add(workers.submit(() -> starts.start(snapshot, child, deadline)));
            }
            try {
                List<Child> up = new ArrayList<>();
                for (Future<Child> start : begun) {
                    up.add(start.get());
                }
                return up;
            } catch (InterruptedException | ExecutionException failure) {
                workers.shutdownNow();
                throw failure;
            }
        } catch (InterruptedException | ExecutionException failure) {
            // The executor has waited for all: those that had begun have come up, or failed and left nothing.
            RuntimeException why = failureOf(snapshot, failure);
            begun.stream()
                    .filter(start -> start.state() == Future.State.SUCCESS)
                    .forEach(start -> starts.drop(start.resultNow(), why));
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
