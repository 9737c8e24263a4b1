package dev.cloche.vm;

import java.util.List;
import java.util.Optional;

/**
 * Reads which VMs there are. Answers come from kernel locks and files, so they are right for VMs of other processes and
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
}
