package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.RunStatus;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.time.Duration;

/** Takes away what sandboxes and runs leave, for a caller that holds their lock. What is gone already is success. */
public final class SandboxRemoval {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);

    private final SandboxContext context;

    public SandboxRemoval(SandboxContext context) {
        this.context = context;
    }

    /**
     * Removes all of a sandbox whose row says that it is to go: files before the row, so that a sandbox whose files
     * resist stays visible and is tried again.
     *
     * @return whether this call removed the row
     */
    boolean discard(OwnerLock lock, SandboxRecord record) {
        context.store().runs(record.id()).forEach(run -> destroyOwn(record.id(), run.vm()));
        context.vms().disks().delete(lock.directory().disk());
        lock.directory().remove();
        context.images().release(SandboxContext.holder(record.id(), record.name()));
        return context.store().deleteEnded(record.id());
    }

    /** Removes the runs of a sandbox beyond those that are kept; files first here, too. */
    void trim(SandboxRecord record) {
        context.store().runs(record.id()).stream()
                .filter(run -> run.status() == RunStatus.TERMINATED)
                .skip(record.policies().keptRuns() - 1L)
                .forEach(run -> {
                    destroyOwn(record.id(), run.vm());
                    context.store().deleteRun(run.id());
                });
    }

    /** Destroys a VM that is recorded as a sandbox's, unless it is a pool's, or by now another's. */
    public void destroyOwn(long sandbox, VmId id) {
        if (context.claims().has(sandbox, id)) {
            destroy(id);
        }
    }

    public void destroy(VmId id) {
        // A process that records an end before it carries it out may have died in between.
        if (context.vms().get(id).filter(vm -> vm.state().live()).isPresent()) {
            try {
                context.vms().kill(id, Deadline.after(KILL_LIMIT));
            } catch (VmException.NotFound | VmException.WrongState endedMeanwhile) {
                // As was to be reached.
            }
        }
        context.vms().destroy(id);
    }
}
