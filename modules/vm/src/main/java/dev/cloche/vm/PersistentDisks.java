package dev.cloche.vm;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Makes and keeps disks that outlive VMs, each in a directory of its own that belongs to the caller; {@link
 * WritableLayer#persistent} gives one to a VM, {@link Vm#growDisk} grows one under a VM that runs.
 *
 * <p>What a guest has flushed ({@code fsync}) is on the host's disk, and survives the end of the guest, of QEMU, of this process
 * and of the host. A disk is used by one VM at a time, which the kernel sees to. The host writes an empty file system once and
 * never mounts, checks or resizes what a guest has written.
 *
 * <p>Directories are absolute and on the file system of the state root, where snapshots share files with disks. The parent
 * must exist; a call that is killed may leave a directory {@code .tmp-…} there, which no call uses any more. Safe for use
 * from several threads and processes. Every call may throw {@link VmException.Storage} where a disk of the host fails or is
 * full.
 */
public interface PersistentDisks {
    /**
     * Makes a disk with an empty file system. It takes as much of the host's disk as is written to it.
     *
     * @param sizeMiB 64 to 16,777,216 MiB (16 TiB)
     * @throws DiskException.Exists if the directory has something in it
     * @throws VmException.Invalid if the size is outside of its range
     */
    PersistentDisk create(Path directory, int sizeMiB);

    /**
     * Makes a disk as of a snapshot of a VM whose writes went to a disk, persistent or not. The snapshot can be continued on
     * it: {@code VmSpec.restored(id, snapshot).withWritable(disk.layer())}. Files are shared with the snapshot, so this takes
     * no time and no space.
     *
     * @throws DiskException.Exists if the directory has something in it
     * @throws SnapshotException.NotFound if the snapshot is gone
     * @throws VmException.Invalid if its VM had its writes in memory
     */
    PersistentDisk create(Path directory, SnapshotRef snapshot);

    /**
     * Makes a disk with the content of a file, as {@link #flatten} writes it. Only a guest ever interprets the content, so
     * it need not be trusted.
     *
     * @param raw its length, a whole number of MiB, is the size of the disk
     * @throws DiskException.Exists if the directory has something in it
     * @throws VmException.Invalid if the length is outside of the range of sizes
     */
    PersistentDisk create(Path directory, Path raw);

    /**
     * Writes what a guest would read of a disk that no VM uses into one new file; holes stay holes.
     *
     * @throws DiskException.NotFound if there is none
     * @throws DiskException.InUse if a VM uses it
     */
    void flatten(Path directory, Path raw);

    /** Returns the disk in a directory; empty if there is none. */
    Optional<PersistentDisk> find(Path directory);

    /**
     * Makes a disk larger that no VM uses; its file system follows when the next VM boots from it.
     *
     * @param sizeMiB not less than it has
     * @throws DiskException.NotFound if there is none
     * @throws DiskException.InUse if a VM uses it; {@link Vm#growDisk} then does it
     * @throws VmException.Invalid if the size is outside of its range, or smaller than the disk
     */
    PersistentDisk grow(Path directory, int sizeMiB);

    /**
     * Copies a disk that no VM uses; holes stay holes. Of a suspended disk, the copy is as of the same snapshot.
     *
     * @throws DiskException.NotFound if there is none
     * @throws DiskException.InUse if a VM uses it
     * @throws DiskException.Exists if the target has something in it
     */
    PersistentDisk copy(Path directory, Path target);

    /**
     * Deletes a disk with its directory; nothing happens if there is none.
     *
     * @throws DiskException.InUse if a VM uses it
     */
    void delete(Path directory);
}
