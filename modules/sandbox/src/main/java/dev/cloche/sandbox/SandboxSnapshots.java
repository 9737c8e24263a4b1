package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.lifecycle.OwnedSandboxes;
import dev.cloche.sandbox.lifecycle.ReconciledSandboxes;
import dev.cloche.sandbox.record.SnapshotNames;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.sandbox.snapshot.ChildStarts;
import dev.cloche.sandbox.snapshot.ForkRequest;
import dev.cloche.sandbox.snapshot.SnapshotContext;
import dev.cloche.sandbox.snapshot.SnapshotSweep;
import dev.cloche.sandbox.snapshot.SnapshotTaking;
import dev.cloche.vm.VmException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Takes snapshots of sandboxes, and makes sandboxes of them (docs/snapshots.md). Safe for use from several threads; several
 * processes may work on one state root at once.
 *
 * <p>Besides {@link SandboxException}s, methods throw those of images, VMs and the catalog as they are.
 */
public final class SandboxSnapshots {
    public static final int MOST_CHILDREN = 100;
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?");

    /** Is for a process that has just taken a snapshot or removes it, to let go of it. */
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(10);

    private final SnapshotContext snapshots;
    private final ReconciledSandboxes sandboxes;
    private final OwnedSandboxes owned;
    private final SnapshotTaking taking;
    private final ChildStarts starts;

    SandboxSnapshots(SandboxParts parts) {
        snapshots = parts.snapshots();
        sandboxes = parts.settled();
        owned = parts.owned();
        taking = new SnapshotTaking(snapshots, owned::vmOf);
        starts = new ChildStarts(snapshots, parts.terminator());
    }

    /** Returns the names of the directories that prepared templates have below {@code snapshots} and {@code sandbox-snapshots}. */
    public static Set<String> directoriesOfTemplates(Catalog catalog) {
        return new SnapshotStore(catalog, Clock.systemUTC())
                .templates().stream()
                        .flatMap(row -> Stream.of(
                                row.directory(), SnapshotNames.ofVm(row.id()).value()))
                        .collect(Collectors.toUnmodifiableSet());
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
        return take(sandboxes.named(sandbox), name, deadline);
    }

    /** Takes a snapshot as the other method does, of a sandbox by the id of its row, also if it was renamed. */
    public SandboxSnapshot take(long sandbox, String name, Deadline deadline) {
        return take(sandboxes.numbered(sandbox), name, deadline);
    }

    /**
     * Keeps a running sandbox as it is now as a prepared template, in place of an earlier template of that name. Sandboxes of
     * that one go on.
     *
     * @param sandbox the id of its row
     * @throws SandboxException.SnapshotExists if a snapshot that is no template has the name
     * @throws SandboxException.NotRunning if it does not run
     */
    public SandboxSnapshot publish(long sandbox, String name, Template.Recipe recipe, Deadline deadline) {
        requireFree(name);
        SnapshotContext.Place place = taking.take(sandboxes.numbered(sandbox), Optional.empty(), deadline);
        try (OwnerLock lock = place.lock()) {
            if (!snapshots.store().publish(place.id(), name, recipe)) {
                snapshots.discard(place.id(), lock);
                throw new SandboxException.SnapshotExists(name);
            }
        }
        new SnapshotSweep(snapshots).run(deadline.orAfter(SnapshotTaking.LIMIT));
        return snapshots.store().byId(place.id()).orElseThrow(() -> new SandboxException.NoSnapshot(name));
    }

    /**
     * Refuses a name that a template cannot have, before anything is made.
     *
     * @throws SandboxException.InvalidSpecification if it breaks the rule for names
     * @throws SandboxException.SnapshotExists if a snapshot that is no template has it
     */
    public void requireFree(String name) {
        requireName(name);
        if (snapshots.store().byName(name).filter(taken -> !taken.prepared()).isPresent()) {
            throw new SandboxException.SnapshotExists(name);
        }
    }

    /** Returns how a template was prepared; empty if this is a snapshot and no template. */
    public Optional<Template.Recipe> recipe(SandboxSnapshot snapshot) {
        return snapshots.store().recipe(snapshot.id());
    }

    /** Returns the environment that its sandbox gave to all commands, and that each of its children gives. */
    public Map<String, String> environment(SandboxSnapshot snapshot) {
        return snapshots
                .store()
                .inheritance(snapshot.id())
                .flatMap(SnapshotStore.Inheritance::main)
                .map(main -> main.defaults().environment())
                .orElse(Map.of());
    }

    private static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new SandboxException.InvalidSpecification(
                    "\"" + name + "\" is not a name for a snapshot or a template.",
                    "Use 1 to 63 of a-z, 0-9, '.', '_' and '-', beginning and ending with a letter or digit.");
        }
    }

    private SandboxSnapshot take(SandboxRecord sandbox, String name, Deadline deadline) {
        requireName(name);
        if (snapshots.store().byName(name).isPresent()) {
            new SnapshotSweep(snapshots).run(deadline.orAfter(SnapshotTaking.LIMIT));
        }
        SnapshotContext.Place place = taking.take(sandbox, Optional.of(name), deadline);
        place.lock().close();
        return snapshots.store().byId(place.id()).orElseThrow(() -> new SandboxException.NoSnapshot(name));
    }

    /** Returns those that can be restored, by name. */
    public List<SandboxSnapshot> list() {
        return snapshots.store().all();
    }

    /**
     * Returns one that can be restored.
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
     * @throws VmException.Busy if another process has it in hand and does not let go of it
     */
    public void remove(String name) {
        SandboxSnapshot snapshot = get(name);
        SandboxDirectory directory = snapshots
                .store()
                .directory(snapshot.id())
                .map(snapshots::directory)
                .orElseThrow(() -> new SandboxException.NoSnapshot(name));
        // What has just taken it holds it for a moment, and so does another that removes it.
        Optional<OwnerLock> free = directory.lockPatiently(Deadline.after(RELEASE_LIMIT));
        if (free.isEmpty()) {
            throw new VmException.Busy("Another process has the snapshot \"" + name + "\" in hand", "Try again.");
        }
        try (OwnerLock lock = free.get()) {
            boolean mine = snapshots.store().doom(snapshot.id());
            // Also of one that another has removed meanwhile: this lock has made its directory anew.
            snapshots.discard(snapshot.id(), lock);
            if (!mine) {
                throw new SandboxException.NoSnapshot(name);
            }
        } catch (VmException.Busy read) {
            // The snapshot has no name any more, and a sweep finishes this when no process reads it.
        }
    }

    /**
     * Makes a sandbox that goes on where a snapshot was taken, and ends with this process.
     *
     * @throws SandboxException.NoSnapshot if there is none of that name
     * @throws SandboxException.NameInUse if another sandbox has the child's name
     * @throws dev.cloche.vm.SnapshotException.Mismatch if it would not run here
     */
    public RunningSandbox restore(String name, ChildSpec child, Deadline deadline) {
        ChildStarts.Child up = starts.start(get(name), child.withDetached(false), deadline);
        return owned.own(up.started(), up.main());
    }

    /** Returns the same, which outlives this process. */
    public SandboxRecord restoreDetached(String name, ChildSpec child, Deadline deadline) {
        return owned.letRun(
                starts.start(get(name), child.withDetached(true), deadline).started());
    }

    /**
     * Makes sandboxes that go on where another is now, which goes on too. All, or none.
     *
     * @param parent the id of its row
     * @param children 1 to {@value #MOST_CHILDREN}; attached to this process
     * @throws SandboxException.NotRunning if the parent does not run
     */
    public Forked<RunningSandbox> fork(long parent, List<ChildSpec> children, Deadline deadline) {
        return fork(parent, children, false).perform(child -> owned.own(child.started(), child.main()), deadline);
    }

    /** Returns the same with children that outlive this process. */
    public Forked<SandboxRecord> forkDetached(long parent, List<ChildSpec> children, Deadline deadline) {
        return fork(parent, children, true).perform(child -> owned.letRun(child.started()), deadline);
    }

    /**
     * Makes those of the sandboxes that can be made, from one capture. Nothing is left of the others.
     *
     * @param parent the id of its row
     * @param children 1 to {@value #MOST_CHILDREN}; attached to this process
     * @throws SandboxException.NotRunning if the parent does not run
     */
    public Forked<ForkOutcome<RunningSandbox>> forkEach(long parent, List<ChildSpec> children, Deadline deadline) {
        return fork(parent, children, false).performEach(child -> owned.own(child.started(), child.main()), deadline);
    }

    /** Returns the same with children that outlive this process. */
    public Forked<ForkOutcome<SandboxRecord>> forkEachDetached(
            long parent, List<ChildSpec> children, Deadline deadline) {
        return fork(parent, children, true).performEach(child -> owned.letRun(child.started()), deadline);
    }

    private ForkRequest fork(long parent, List<ChildSpec> children, boolean detached) {
        List<ChildSpec> specs =
                children.stream().map(child -> child.withDetached(detached)).toList();
        return new ForkRequest(snapshots, taking, starts, sandboxes.numbered(parent), specs);
    }
}
