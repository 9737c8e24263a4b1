package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Does what the core wants done, on a provider. Safe for use from several threads; calls block. Whatever a provider throws,
 * errors included, is an answer: a core that gets none waits for ever.
 */
final class PoolWorker {
    private final VmProvider provider;
    private final PoolConfig config;
    private final Checks checks;
    private final Disposal disposal;
    private final EntryMaker maker;
    private final HandingOver handingOver;

    PoolWorker(VmProvider provider, PoolConfig config, Checks checks) {
        this.provider = provider;
        this.config = config;
        this.checks = checks;
        disposal = new Disposal(config.destroyWithin());
        maker = new EntryMaker(provider, config, checks, disposal);
        handingOver = new HandingOver(checks, disposal);
    }

    /** How it went, to be told to the core under its lock. */
    interface Answer {
        void tell(PoolCore core, long now);
    }

    Answer restore(Effect.Restore wanted) {
        SnapshotRef snapshot = wanted.registration().snapshot();
        return switch (maker.make(wanted.vm(), wanted.key(), wanted.registration(), config.entryMaxAge())) {
            case EntryMaker.Made.Ready(Vm vm, Duration took) ->
                (core, now) -> core.made(wanted.ticket(), vm, snapshot, took, now);
            case EntryMaker.Made.Rejected(Vm vm, String reason) ->
                (core, now) -> core.rejected(wanted.ticket(), vm, snapshot, reason, now);
            case EntryMaker.Made.Failed(Throwable why, Optional<Vm> left) ->
                (core, now) -> core.failed(wanted.ticket(), why, left, snapshot, now);
        };
    }

    Answer adopt(Effect.Adopt wanted) {
        try {
            Vm vm = provider.adopt(wanted.left().id(), Deadline.after(config.restoreWithin()));
            Verdict verdict = checks.of(vm, config.checkWithin().toNanos());
            if (verdict instanceof Verdict.Unhealthy unhealthy) {
                SnapshotRef snapshot = wanted.left().snapshot().orElseThrow();
                return (core, now) -> core.rejected(wanted.ticket(), vm, snapshot, unhealthy.reason(), now);
            }
            return (core, now) -> core.adopted(wanted.ticket(), vm, wanted.left(), now);
        } catch (Throwable somebodyElses) {
            Disposal.log("pool entry " + wanted.left().id() + " is not adopted", somebodyElses);
            return (core, now) -> core.notAdopted(wanted.ticket(), now);
        }
    }

    Answer check(Effect.Check wanted) {
        long begin = System.nanoTime();
        Verdict verdict = checks.of(wanted.entry().vm(), Long.MAX_VALUE);
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        return (core, now) -> core.checked(wanted.entry(), verdict, took, now);
    }

    Answer destroy(Effect.Destroy wanted) {
        Optional<String> resists = disposal.of(wanted.entry().vm());
        return resists.isEmpty()
                ? (core, now) -> core.destroyed(wanted.entry(), now)
                : (core, now) -> core.destroyFailed(wanted.entry(), resists.get(), now);
    }

    void leave(Effect.Leave wanted) {
        try {
            wanted.entry().vm().close();
        } catch (Throwable e) {
            Disposal.log("pool entry " + wanted.entry() + " is not let go", e);
        }
    }

    /** What is left of others, without what nobody owns and nobody can use, which is removed. */
    Answer sweep() {
        List<PooledVm> left = new ArrayList<>();
        try {
            for (PooledVm found : provider.pooled()) {
                if (found.stage() == PooledVm.Stage.SHELVED || !reclaimed(found.id())) {
                    left.add(found);
                }
            }
        } catch (Throwable e) {
            Disposal.log("the pool entries of others cannot be listed", e);
        }
        return (core, now) -> core.swept(left, now);
    }

    private boolean reclaimed(VmId id) {
        try {
            return provider.reclaim(id, Deadline.after(config.destroyWithin()));
        } catch (Throwable e) {
            Disposal.log("pool entry " + id + " is not reclaimed", e);
            return false;
        }
    }

    HandingOver.Outcome handOver(Waiter.Grant.Ready ready, HandOff handOff, Deadline deadline) {
        return handingOver.of(ready.entry().vm(), !ready.recent(), handOff, deadline);
    }

    /** Boots a VM where none can be restored. */
    Vm cold(Waiter.Grant.Cold cold, HandOff handOff, Deadline deadline) {
        VmId id = VmId.random();
        handOff.chosen(id);
        Vm vm = provider.create(cold.registration().cold().orElseThrow().apply(id));
        try {
            vm.start(handOff::identity, deadline);
            return vm;
        } catch (RuntimeException e) {
            disposal.of(vm).ifPresent(why -> e.addSuppressed(new IllegalStateException(why)));
            throw e;
        }
    }
}
