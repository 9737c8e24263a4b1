package dev.cloche.sandbox.record;

import dev.cloche.image.ImageHolder;
import dev.cloche.vm.SnapshotName;

/** Says by which names a snapshot holds its memory and its image. */
public final class SnapshotNames {
    private static final String HOLDER_KIND = "snapshot";
    private static final String PREFIX = "sandbox-";

    private SnapshotNames() {}

    /** Returns what the snapshot of the VM is called: by a number that no other snapshot ever has. */
    public static SnapshotName ofVm(long id) {
        return new SnapshotName(PREFIX + id);
    }

    /** Returns the holder of a snapshot's image. */
    public static ImageHolder holder(long id, String name) {
        return new ImageHolder(HOLDER_KIND, Long.toString(id), name);
    }
}
