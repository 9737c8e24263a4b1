package dev.cloche.vm;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads which VMs and snapshots there are. Answers come from kernel locks and files, so they are right for VMs of other
 * processes and after crashes. Safe for use from several threads.
 */
public interface VmQuery {
    /**
     * Returns all VMs, by id.
     *
     * @throws VmException.Storage if the state root cannot be read
     */
    List<VmInfo> list();

    /**
     * Returns one VM; empty if there is none of that id.
     *
     * @throws VmException.Storage if its files cannot be read
     */
    Optional<VmInfo> get(VmId id);

    /**
     * Returns what a VM is made of; empty if there is none of that id, or another version of this program made it.
     *
     * @throws VmException.Storage if the state root cannot be read
     */
    Optional<VmSpec> spec(VmId id);

    /**
     * Returns whether a living process owns a VM. A process that adopts it at that very moment may be refused, so ask only
     * of a VM that no process is about to adopt.
     */
    boolean isOwned(VmId id);

    /**
     * Returns the sockets of VMs that are gone, in order.
     *
     * @throws VmException.Storage if their directory cannot be read
     */
    default List<Path> straySockets() {
        return List.of();
    }

    /**
     * Returns the ports that are published of a VM, with those of the host that it has got: those that it was started with, then
     * those of {@link VmProvider#publish}. None unless it has been started.
     *
     * @throws VmException.Storage if its files cannot be read
     */
    default List<PublishedPort> publishedPorts(VmId id) {
        return List.of();
    }

    /**
     * Returns how long ago a published port of a VM was used, to a tenth of a second; empty if none was, or there is none.
     * Nothing that its guest does counts: connections that are begun from outside do, and all that comes over one from this
     * host.
     *
     * @throws VmException.Storage if its files cannot be read
     */
    default Optional<Duration> sincePortsUsed(VmId id) {
        return Optional.empty();
    }

    /**
     * Returns why a VM that lives does not work at present, as its guard knows. Empty if it does, and of one that does not
     * live.
     *
     * @throws VmException.Storage if its files cannot be read
     */
    default Optional<VmHindrance> hindrance(VmId id) {
        return Optional.empty();
    }

    /**
     * Returns what stands between the program that runs a VM and the host; empty of a VM that does not live, and where that is
     * not known.
     *
     * @throws VmException.Storage if its files cannot be read
     */
    default Optional<VmIsolation> isolation(VmId id) {
        return Optional.empty();
    }

    /**
     * Returns whether the program that runs a VM was refused a call, of which it makes none by itself; false of a VM that does not
     * live. Costs little where there was none.
     *
     * @throws VmException.Storage if its files cannot be read
     */
    default boolean isAlarmed(VmId id) {
        return false;
    }

    /**
     * Returns whether the walls around a VM that lives are as high as the host's settings and {@code least} ask for; true
     * where there are no such settings.
     *
     * @throws VmException.Storage if its files cannot be read
     */
    default boolean isIsolated(VmId id, Optional<Isolation> least) {
        return true;
    }

    /**
     * Returns the entries of all warm pools, by id. Removes what killed processes have left of unfinished ones.
     *
     * @throws VmException.Storage if the state root cannot be read
     */
    List<PooledVm> pooled();

    /**
     * Returns whether it is an entry of a warm pool: made for one, and not claimed.
     *
     * @throws VmException.Storage if its files cannot be read
     */
    default boolean isPooled(VmId id) {
        return pooled().stream().anyMatch(entry -> entry.id().equals(id));
    }

    /**
     * Returns all snapshots that are whole, by name. Removes what killed processes have left of unfinished ones.
     *
     * @throws VmException.Storage if the state root cannot be read
     */
    List<SnapshotRef> snapshots();

    /**
     * Returns one snapshot; empty if there is none of that name.
     *
     * @throws SnapshotException.Damaged if its files cannot be understood
     */
    Optional<SnapshotRef> snapshot(SnapshotName name);
}
