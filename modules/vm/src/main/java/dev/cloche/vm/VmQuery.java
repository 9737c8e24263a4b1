package dev.cloche.vm;

import java.util.List;
import java.util.Optional;

/**
 * Reads which VMs and snapshots there are. Answers come from kernel locks and files, so they are right for VMs of other processes and
 * after crashes. Safe for use from several threads.
 */
public interface VmQuery {
    /**
     * All VMs, by id.
     *
     * @throws VmStorageException if the state root cannot be read
     */
    List<VmInfo> list();

    /**
     * One VM; empty if there is none of that id.
     *
     * @throws VmStorageException if its files cannot be read
     */
    Optional<VmInfo> get(VmId id);

    /**
     * The ports that are published of a VM, with those of the host that it has got. None unless it has been started.
     *
     * @throws VmStorageException if its files cannot be read
     */
    default List<PublishedPort> publishedPorts(VmId id) {
        return List.of();
    }

    /**
     * The entries of all warm pools, by id. Removes what killed processes have left of unfinished ones.
     *
     * @throws VmStorageException if the state root cannot be read
     */
    List<PooledVm> pooled();

    /**
     * Whether it is an entry of a warm pool: made for one, and claimed by nobody.
     *
     * @throws VmStorageException if its files cannot be read
     */
    default boolean isPooled(VmId id) {
        return pooled().stream().anyMatch(entry -> entry.id().equals(id));
    }

    /**
     * All snapshots that are whole, by name. Removes what killed processes have left of unfinished ones.
     *
     * @throws VmStorageException if the state root cannot be read
     */
    List<SnapshotRef> snapshots();

    /**
     * One snapshot; empty if there is none of that name.
     *
     * @throws SnapshotDamagedException if its files cannot be understood
     */
    Optional<SnapshotRef> snapshot(SnapshotName name);
}
