package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.directory.SandboxLocks;
import java.util.function.Supplier;

/**
 * Makes a sandbox under a name that one may have that does not run any more.
 *
 * @param locks of owners
 */
public record Replacement(SandboxLocks locks) {
    /**
     * Does {@code start}, and where the name is in use, removes what has it and does it once more.
     *
     * @param removal of the one that has the name, unless it runs
     * @throws SandboxException.NameInUse if one that runs has the name, or has got it meanwhile, or another process is at it
     */
    public <T> T perform(Supplier<T> start, Runnable removal) {
        try {
            return start.get();
        } catch (SandboxException.NameInUse held) {
            try {
                removal.run();
            } catch (SandboxException.NotFound removedMeanwhile) {
                // The name is free.
            } catch (SandboxException.StillRunning | SandboxException.Owned living) {
                held.addSuppressed(living);
                throw held;
            }
            return start.get();
        }
    }

    /**
     * Says whether a sandbox was to end with its process, and that is gone. Its guard ends it a moment after that, in which a
     * program that is started again at once finds it running.
     */
    public boolean endsAnyway(SandboxRecord sandbox) {
        return sandbox.latestRun().filter(run -> !run.detached()).isPresent() && locks.isFree(sandbox);
    }
}
