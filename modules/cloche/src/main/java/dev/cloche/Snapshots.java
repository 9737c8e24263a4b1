package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxSnapshots;
import java.util.List;

/**
 * The snapshots of sandboxes on this host; {@link Cloche#restore} makes sandboxes of them. Safe for use from several threads.
 *
 * <pre>{@code
 * cloche.snapshots().create("web", "before-upgrade");
 * cloche.snapshots().list().forEach(snapshot -> System.out.println(snapshot.name()));
 * }</pre>
 */
public final class Snapshots {
    private final SandboxSnapshots snapshots;

    Snapshots(SandboxSnapshots snapshots) {
        this.snapshots = snapshots;
    }

    /**
     * Keeps a sandbox as it is now: memory and disk of one that runs, which is halted for a moment and goes on; the disk of one
     * that has ended.
     *
     * @param sandbox its name
     * @param name 1 to 63 of {@code a-z 0-9 . _ -}, beginning and ending with a letter or digit
     * @throws dev.cloche.base.ClocheException if the name is taken, there is no such sandbox, it has nothing to keep, it is
     *     paused or about to end, or another process owns it; nothing is left of the snapshot
     */
    public SnapshotInfo create(String sandbox, String name) {
        return SnapshotInfo.of(snapshots.take(sandbox, name, Deadline.none()));
    }

    /** Returns all of them, by name, but for templates, which {@link Templates#prepared} returns. */
    public List<SnapshotInfo> list() {
        return snapshots.list().stream()
                .filter(snapshot -> !snapshot.prepared())
                .map(SnapshotInfo::of)
                .toList();
    }

    /**
     * Returns one of them, or a template that was prepared.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public SnapshotInfo get(String name) {
        return SnapshotInfo.of(snapshots.get(name));
    }

    /**
     * Removes one, or a template that was prepared. Sandboxes that were restored from it go on.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or with the code {@code vm.busy} if another process has it in
     *     hand and does not let go of it
     */
    public void remove(String name) {
        snapshots.remove(name);
    }
}
