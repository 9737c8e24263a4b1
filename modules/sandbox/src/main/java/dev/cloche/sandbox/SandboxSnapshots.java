package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmBusyException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Takes snapshots of sandboxes, and makes sandboxes of them (docs/snapshots.md). Safe for use from several threads; several
 * processes may work on one state root at once.
 *
 * <p>Besides {@link SandboxException}s, methods throw those of images, VMs and the catalog as they are.
 */
public final class SandboxSnapshots {
    public static final int MOST_CHILDREN = 100;
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?");
    private static final Duration TAKE_LIMIT = Duration.ofMinutes(5);

    /** What this process does with the sandboxes that it has in hand. */
    interface Hands {
        /** The VM of a sandbox that this process owns. */
        Optional<Vm> vmOf(long sandbox);

        RunningSandbox own(SandboxStart.Started started, MainCommand main);

        SandboxRecord letRun(SandboxStart.Started started);
    }

    private final SnapshotGround snapshots;
    private final Foundations ground;
    private final SandboxEnds ends;
    private final Hands hands;
    private final SnapshotTaking taking;

    SandboxSnapshots(SnapshotGround snapshots, SandboxEnds ends, Hands hands) {
        this.snapshots = snapshots;
        this.ground = snapshots.ground();
        this.ends = ends;
        this.hands = hands;
        taking = new SnapshotTaking(snapshots, hands::vmOf);
    }

    /**
     * Keeps a sandbox as it is now under a name: memory and disk of one that runs, the disk of one that has ended.
     *
     * @throws SandboxException.NotFound if there is no such sandbox
     * @throws SandboxException.SnapshotExists if another snapshot has the name
     * @throws SandboxException.NothingToKeep if it does not run and has no disk
     * @throws SandboxException.NotRunning if it is paused, starting or ending
     * @throws SandboxException.OwnedElsewhere if it runs, and another process owns it
     */
    public SandboxSnapshot take(String sandbox, String name, Deadline deadline) {
        return take(named(sandbox), name, deadline);
    }

    /** The same of a sandbox whatever it is called by now, by the id of its row. */
    public SandboxSnapshot take(long sandbox, String name, Deadline deadline) {
        return take(numbered(sandbox), name, deadline);
    }

    private SandboxSnapshot take(SandboxRecord sandbox, String name, Deadline deadline) {
        if (!NAME.matcher(name).matches()) {
            throw new SandboxException.InvalidSpecification(
                    "\"" + name + "\" is not a name for a snapshot.",
                    "Use 1 to 63 of a-z, 0-9, '.', '_' and '-', beginning and ending with a letter or digit.");
        }
        if (snapshots.store().byName(name).isPresent()) {
            new SnapshotSweep(snapshots).run(deadline.orAfter(TAKE_LIMIT));
        }
        SnapshotGround.Place place = taking.take(sandbox, Optional.of(name), deadline.orAfter(TAKE_LIMIT));
        place.lock().close();
        return snapshots.store().byId(place.id()).orElseThrow(() -> new SandboxException.NoSnapshot(name));
    }

    private SandboxRecord named(String sandbox) {
        return ground.store()
                .byName(sandbox)
                .flatMap(ends::settled)
                .orElseThrow(() -> new SandboxException.NotFound(sandbox));
    }

    private SandboxRecord numbered(long sandbox) {
        return ground.store()
                .byId(sandbox)
                .flatMap(ends::settled)
                .orElseThrow(() -> new SandboxException.NotFound("number " + sandbox));
    }

    /** Those that can be restored, by name. */
    public List<SandboxSnapshot> list() {
        return snapshots.store().all();
    }

    /**
     * One that can be restored.
     *
     * @throws SandboxException.NoSnapshot if there is none of that name
     */
    public SandboxSnapshot get(String name) {
        return snapshots
                .store()
                .byName(name)
                .filter(snapshot -> snapshot.status() == SnapshotStatus.READY)
                .orElseThrow(() -> new SandboxException.NoSnapshot(name));
    }

    /**
     * Removes one. Sandboxes that were restored from it go on; one that is being restored keeps its files until that is done.
     *
     * @throws SandboxException.NoSnapshot if there is none of that name
     */
    public void remove(String name) {
        SandboxSnapshot snapshot = get(name);
        Optional<OwnerLock> free = snapshots
                .store()
                .directory(snapshot.id())
                .map(snapshots::directory)
                .flatMap(SandboxDirectory::tryLock);
        if (free.isEmpty()) {
            throw new SandboxException.NoSnapshot(name);
        }
        try (OwnerLock lock = free.get()) {
            snapshots.discard(snapshot.id(), lock);
        } catch (VmBusyException read) {
            // It has no name any more, and a sweep finishes this when nobody reads it.
        }
    }

    /**
     * Makes a sandbox that goes on where a snapshot was taken, and ends with this process.
     *
     * @throws SandboxException.NoSnapshot if there is none of that name
     * @throws SandboxException.NameInUse if another sandbox has the child's name
     * @throws dev.cloche.vm.SnapshotMismatchException if it would not run here
     */
    public RunningSandbox restore(String name, ChildSpec child, Deadline deadline) {
        Started started = start(get(name), child.withDetached(false), deadline);
        return hands.own(started.started(), started.main());
    }

    /** The same, which outlives this process. */
    public SandboxRecord restoreDetached(String name, ChildSpec child, Deadline deadline) {
        return hands.letRun(start(get(name), child.withDetached(true), deadline).started());
    }

    /**
     * Makes sandboxes that go on where another is now, which goes on too. All, or none.
     *
     * @param parent the id of its row
     * @param children 1 to {@value #MOST_CHILDREN}; attached to this process
     * @throws SandboxException.NotRunning if the parent does not run
     */
    public Forked<RunningSandbox> fork(long parent, List<ChildSpec> children, Deadline deadline) {
        return fork(numbered(parent), children, false, deadline, child -> hands.own(child.started(), child.main()));
    }

    /** The same with children that outlive this process. */
    public Forked<SandboxRecord> forkDetached(long parent, List<ChildSpec> children, Deadline deadline) {
        return fork(numbered(parent), children, true, deadline, child -> hands.letRun(child.started()));
    }

    /** A child that is up, and nobody's yet. */
    private record Started(SandboxStart.Started started, MainCommand main) {}

    private <T> Forked<T> fork(
            SandboxRecord parent,
            List<ChildSpec> children,
            boolean detached,
            Deadline deadline,
            Function<Started, T> handle) {
        if (children.isEmpty() || children.size() > MOST_CHILDREN) {
            throw new SandboxException.InvalidSpecification(
                    children.size() + " children are out of range.", "Give 1 to " + MOST_CHILDREN + ".");
        }
        long begin = System.nanoTime();
        SnapshotGround.Place place = taking.take(parent, Optional.empty(), deadline.orAfter(TAKE_LIMIT));
        try (OwnerLock lock = place.lock()) {
            try {
                SandboxSnapshot taken = snapshots
                        .store()
                        .byId(place.id())
                        .orElseThrow(() -> new SandboxException.NoSnapshot(parent.name()));
                List<ChildSpec> specs = children.stream()
                        .map(child -> child.withDetached(detached))
                        .toList();
                List<T> handles =
                        startAll(taken, specs, deadline).stream().map(handle).toList();
                return new Forked<>(handles, taken.pause().orElseThrow(), Duration.ofNanos(System.nanoTime() - begin));
            } finally {
                Uninterrupted.run(() -> snapshots.tryDiscard(place.id(), lock));
            }
        }
    }

    /** As many at once as the host has processors, for a restore is work for one. */
    private List<Started> startAll(SandboxSnapshot snapshot, List<ChildSpec> children, Deadline deadline) {
        int width = Math.min(children.size(), Runtime.getRuntime().availableProcessors());
        List<Future<Started>> starts = new ArrayList<>();
        try (ExecutorService workers =
                Executors.newFixedThreadPool(width, Thread.ofVirtual().factory())) {
            for (ChildSpec child : children) {
                starts.add(workers.submit(() -> start(snapshot, child, deadline)));
            }
            try {
                List<Started> up = new ArrayList<>();
                for (Future<Started> start : starts) {
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
            starts.forEach(start -> drop(start, why));
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

    /** Ends a child that came up where another did not. */
    private void drop(Future<Started> start, RuntimeException why) {
        if (start.state() != Future.State.SUCCESS) {
            return;
        }
        SandboxStart.Started child = start.resultNow().started();
        try (OwnerLock lock = child.lock()) {
            Uninterrupted.run(() -> {
                child.vm().close();
                ends.record(child.record().id(), Ending.closed());
                ends.forget(
                        lock,
                        child.record().id(),
                        child.record().name(),
                        child.vm().id());
            });
        } catch (ClocheException resists) {
            why.addSuppressed(resists);
        }
    }

    private Started start(SandboxSnapshot snapshot, ChildSpec child, Deadline deadline) {
        String name = snapshot.name().orElse(snapshot.source());
        SnapshotStore.Inheritance inherited =
                snapshots.store().inheritance(snapshot.id()).orElseThrow(() -> new SandboxException.NoSnapshot(name));
        MainCommand main = inherited.main().orElse(new MainCommand(List.of(), CommandOptions.none()));
        SandboxSpec spec = spec(snapshot, inherited, main, child);
        HostLimits.check(spec);
        ChildOrigin origin = new ChildOrigin(ground, snapshot, memory(snapshot), disk(snapshot), child);
        StartPlan plan = StartPlan.of(spec, main.options());
        return new Started(
                new SandboxStart(ground, ends, plan, PullListener.none(), deadline).child(spec, origin), main);
    }

    private Optional<SnapshotRef> memory(SandboxSnapshot snapshot) {
        return switch (snapshot.contents()) {
            case DISK -> Optional.empty();
            case MEMORY ->
                Optional.of(ground.vms()
                        .snapshot(SnapshotGround.vmSnapshot(snapshot.id()))
                        .orElseThrow(() ->
                                new SandboxException.NoSnapshot(snapshot.name().orElse(snapshot.source()))));
        };
    }

    private Path disk(SandboxSnapshot snapshot) {
        String directory = snapshots
                .store()
                .directory(snapshot.id())
                .orElseThrow(
                        () -> new SandboxException.NoSnapshot(snapshot.name().orElse(snapshot.source())));
        return snapshots.directory(directory).disk();
    }

    private static SandboxSpec spec(
            SandboxSnapshot snapshot, SnapshotStore.Inheritance inherited, MainCommand main, ChildSpec child) {
        if (!child.ports().isEmpty() && !snapshot.network()) {
            throw new SandboxException.InvalidSpecification(
                    "The sandbox \"" + snapshot.source()
                            + "\" had no network, so no ports of a child can be published.",
                    "Leave out the ports, or begin with a sandbox that has a network.");
        }
        return new SandboxSpec(
                child.name(),
                snapshot.image(),
                main.words(),
                PullPolicy.MISSING,
                snapshot.memoryMib(),
                snapshot.cpus(),
                child.ephemeral(),
                snapshot.diskMib(),
                inherited.policies(),
                Map.of(),
                snapshot.network() ? new NetworkSpec.User(child.ports(), inherited.nameServer()) : NetworkSpec.none(),
                Secrets.none());
    }
}
