package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.util.Optional;

/**
 * Reads what the main execution of a VM wrote, kept by the VM's guard within a bound that {@link VmSpec} sets: the latest
 * bytes of both outputs, in the order in which the guest wrote them. Can be read while the VM runs and after its end, by any
 * number of readers of any process. For one thread at a time.
 */
public interface OutputLog extends AutoCloseable {
    /**
     * Returns the next piece that is there already; empty where the log ends at present.
     *
     * @throws VmException.Storage if the files cannot be read
     */
    Optional<OutputLogEntry> next();

    /**
     * Returns the next piece, waiting for it while the VM runs; empty once the VM has ended and all was read.
     *
     * @throws VmException.Storage if the files cannot be read
     * @throws VmException.Deadline when the deadline passes
     * @throws VmException.Interrupted when the thread is interrupted
     */
    Optional<OutputLogEntry> await(Deadline deadline);

    @Override
    void close();
}
