package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.OutputLogEntry;
import java.time.Duration;
import java.util.Optional;

/**
 * What the main command of a detached sandbox writes: its latest 16 MiB, also after its end, until the sandbox is removed.
 * For one thread at a time.
 *
 * <pre>{@code
 * try (SandboxLog log = cloche.sandboxes().log("web")) {
 *     for (Optional<OutputLogEntry> entry = log.next(); entry.isPresent(); entry = log.next()) {
 *         System.out.print(UTF_8.decode(entry.get().bytes()));
 *     }
 * }
 * }</pre>
 */
public final class SandboxLog implements AutoCloseable {
    private final OutputLog log;

    SandboxLog(OutputLog log) {
        this.log = log;
    }

    /** Returns the next piece that is there already; empty where the log ends at present. */
    public Optional<OutputLogEntry> next() {
        return log.next();
    }

    /**
     * Returns the next piece, waiting for it while the command runs; empty once it has ended and all was read.
     *
     * @param longest how long to wait
     * @throws dev.cloche.base.ClocheException with the code {@code vm.deadline} if nothing comes in time
     */
    public Optional<OutputLogEntry> await(Duration longest) {
        return log.await(Deadline.after(longest));
    }

    @Override
    public void close() {
        log.close();
    }
}
