package dev.cloche.pool.driver;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.pool.HandOff;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.Registration;
import dev.cloche.pool.core.PoolCore;
import dev.cloche.pool.core.PoolEffect;
import dev.cloche.pool.provision.Disposal;
import dev.cloche.pool.provision.EntryMaker;
import dev.cloche.pool.provision.HandOffProcedure;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Does what the core wants done, on a provider. Safe for use from several threads; calls block. All that a provider
 * throws, errors included, is an answer: a core that gets none waits for ever.
 */
public final class PoolWorker {
    private final VmProvider provider;
    private final PoolConfig config;
    private final EntryMaker maker;
    private final HandOffProcedure procedure;

    /** @param events told how long preparations take */
    PoolWorker(VmProvider provider, PoolConfig config, Consumer<PoolEvent> events) {
        this.provider = provider;
        this.config = config;
        Disposal disposal = new Disposal(config.destroyWithin());
        maker = new EntryMaker(provider, config, disposal, events);
        procedure = new HandOffProcedure(provider, disposal, config.slowAfter());
    }

    /** Tells the core, under its lock, how an effect went. */
    interface Answer {
        void tell(PoolCore core, long now);
    }

    Answer restore(PoolEffect.Restore wanted) {
        Registration registration = wanted.registration();
        SnapshotRef snapshot = registration.snapshot();
        EntryMaker.Made made = maker.make(wanted.vm(), wanted.key(), registration);
        return switch (made) {
            case EntryMaker.Made.Ready ready ->
                (core, now) -> core.made(wanted.ticket(), snapshot, registration.maxAge(), ready.took(), now);
            case EntryMaker.Made.Failed failed ->
                (core, now) ->
                        core.failed(wanted.ticket(), failed.why(), failed.rejected(), failed.left(), snapshot, now);
        };
    }

    /** Destroys an entry; one that a process has is that process's now, and so gone for the pool. */
    Answer destroy(PoolEffect.Destroy wanted) {
        try {
            var _ = provider.reclaim(wanted.entry().vm(), Deadline.after(config.destroyWithin()));
            return (core, now) -> core.destroyed(wanted.entry(), now);
        } catch (Throwable e) {
            Disposal.log("pool entry " + wanted.entry() + " resists", e);
            return (core, now) -> core.destroyFailed(wanted.entry(), ClocheException.sentenceOf(e), now);
        }
    }

    /**
     * Returns what lies on the shelves, without the orphans, which no process owns and none can use, and which are
     * removed.
     */
    Answer sweep() {
        List<PooledVm> left = new ArrayList<>();
        Set<VmId> ended = new HashSet<>();
        // An orphan may take its time to go.
        long looked = System.nanoTime();
        try {
            for (PooledVm found : provider.pooled()) {
                if (found.stage() == PooledVm.Stage.SHELVED || !isRemoved(found.id())) {
                    left.add(found);
                } else if (found.stage() == PooledVm.Stage.ENDED) {
                    ended.add(found.id());
                }
            }
        } catch (Throwable e) {
            Disposal.log("the pool entries cannot be listed", e);
            return PoolCore::notSwept;
        }
        return (core, now) -> core.swept(left, ended, looked, now);
    }

    /** Says of what memory the host is short; throws if that is not to be had. */
    Optional<String> memoryShortage() {
        return provider.memoryShortage();
    }

    private boolean isRemoved(VmId orphan) {
        try {
            return provider.reclaimOrphan(orphan, Deadline.after(config.destroyWithin()));
        } catch (Throwable e) {
            Disposal.log("pool entry " + orphan + " is not reclaimed", e);
            return false;
        }
    }

    public HandOffProcedure.Outcome handOver(VmId vm, HandOff handOff, Deadline deadline) {
        return procedure.of(vm, handOff, deadline);
    }
}
