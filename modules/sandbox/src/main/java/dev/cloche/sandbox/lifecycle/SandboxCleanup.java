package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.ClocheException;
import dev.cloche.catalog.CatalogException;
import dev.cloche.sandbox.RunStatus;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import java.lang.System.Logger.Level;
import java.util.Optional;

/**
 * Removes one ephemeral sandbox that has ended, with all that belongs to it. Any number of threads and processes may do
 * so at once; exactly one of them is told that it did.
 *
 * <p>Files go before the row, so that what resists stays visible and is tried again; and a removal that a crash
 * interrupts is found by the row.
 */
public final class SandboxCleanup {
    private final SandboxContext context;
    private final SandboxRemoval removal;

    public SandboxCleanup(SandboxContext context) {
        this.context = context;
        removal = new SandboxRemoval(context);
    }

    /** Removes it as the class says; waits only for the end of a VM whose end is recorded and was never carried out. */
    public CleanupOutcome clean(long id) {
        Optional<SandboxRecord> known = context.store().byId(id);
        if (known.isEmpty()) {
            return CleanupOutcome.ALREADY_GONE;
        }
        Optional<CleanupOutcome> skipped = skipped(known.get());
        if (skipped.isPresent()) {
            return skipped.get();
        }
        return switch (context.locks().claim(known.get())) {
            case SandboxLocks.Claim.Held() -> CleanupOutcome.SKIPPED_LIVE_PID;
            case SandboxLocks.Claim.Gone() -> CleanupOutcome.ALREADY_GONE;
            case SandboxLocks.Claim.Taken(OwnerLock lock, SandboxRecord record) -> {
                try (lock) {
                    yield skipped(record).orElseGet(() -> clean(record, lock));
                }
            }
        };
    }

    /**
     * Removes it for a caller that holds its lock, and keeps it. Before a lock is let go of without more, this removes
     * what taking it has made if another was removing the sandbox: that deletes the directory first, and the row a
     * moment later.
     */
    public CleanupOutcome cleanUnder(OwnerLock lock, long id) {
        Optional<SandboxRecord> record = context.store().byId(id);
        if (record.isEmpty()) {
            lock.directory().remove();
            return CleanupOutcome.ALREADY_GONE;
        }
        return skipped(record.get()).orElseGet(() -> clean(record.get(), lock));
    }

    private Optional<CleanupOutcome> skipped(SandboxRecord record) {
        if (!record.ephemeral()) {
            return Optional.of(CleanupOutcome.SKIPPED_PERSISTENT);
        }
        if (!record.status().terminal()) {
            return Optional.of(CleanupOutcome.SKIPPED_ACTIVE);
        }
        boolean lives = record.latestRun()
                .filter(run -> run.status() == RunStatus.RUNNING)
                .filter(run -> live(run.vm()))
                .isPresent();
        return lives ? Optional.of(CleanupOutcome.SKIPPED_LIVE_PID) : Optional.empty();
    }

    private boolean live(VmId vm) {
        return context.vms()
                .get(vm)
                .map(VmInfo::state)
                .filter(state -> state.live())
                .isPresent();
    }

    /** @param lock held by the caller, which closes it */
    private CleanupOutcome clean(SandboxRecord ended, OwnerLock lock) {
        try {
            return removal.discard(lock, ended) ? CleanupOutcome.REMOVED : CleanupOutcome.ALREADY_CLAIMED;
        } catch (VmException.Busy owned) {
            return CleanupOutcome.SKIPPED_LIVE_PID;
        } catch (CatalogException recordsFail) {
            throw recordsFail;
        } catch (ClocheException resists) {
            System.getLogger(SandboxCleanup.class.getName())
                    .log(Level.WARNING, "files of sandbox " + ended.name() + " resist, and are tried again", resists);
            return CleanupOutcome.DIR_REMOVE_FAILED;
        }
    }
}
