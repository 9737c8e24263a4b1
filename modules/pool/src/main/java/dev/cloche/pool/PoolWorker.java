package dev.cloche.pool;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Does what the core wants done, on a provider. Safe for use from several threads; calls block. */
final class PoolWorker {
    /** Something that almost every image has; where it is missing, the guest has looked for it, which is most of it. */
    private static final ExecRequest EXERCISE = ExecRequest.of("true");

    private final VmProvider provider;
    private final PoolConfig config;
    private final Checks checks;

    PoolWorker(VmProvider provider, PoolConfig config, Checks checks) {
        this.provider = provider;
        this.config = config;
        this.checks = checks;
    }

    /** How it went, to be told to the core under its lock. */
    interface Answer {
        void tell(PoolCore core, long now);
    }

    Answer restore(Effect.Restore wanted) {
        SnapshotRef snapshot = wanted.registration().snapshot();
        long begin = System.nanoTime();
        Vm vm;
        try {
            vm = provider.create(spec(wanted), new PoolSlot(wanted.key().label(), config.entryMaxAge()));
        } catch (RuntimeException e) {
            return (core, now) -> core.failed(wanted.ticket(), e, Optional.empty(), snapshot, now);
        }
        try {
            Deadline deadline = Deadline.after(config.restoreWithin());
            vm.prepare(guest -> exercise(guest, deadline), deadline);
            Verdict verdict = checks.of(vm, deadline.remainingNanos());
            if (verdict instanceof Verdict.Unhealthy unhealthy) {
                return (core, now) -> core.rejected(wanted.ticket(), vm, snapshot, unhealthy.reason(), now);
            }
            vm.shelve();
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            return (core, now) -> core.made(wanted.ticket(), vm, snapshot, took, now);
        } catch (RuntimeException e) {
            // An interrupt was for the restore, not for cleaning up after it.
            Thread.interrupted();
            Optional<String> resists = destroy(vm);
            resists.ifPresent(why -> e.addSuppressed(new IllegalStateException(why)));
            Optional<Vm> left = resists.map(why -> vm);
            return (core, now) -> core.failed(wanted.ticket(), e, left, snapshot, now);
        }
    }

    private static VmSpec spec(Effect.Restore wanted) {
        VmSpec plain = VmSpec.restored(wanted.vm(), wanted.registration().snapshot());
        return wanted.registration().outputLogBytes().isPresent()
                ? plain.withOutputLogBytes(
                        wanted.registration().outputLogBytes().getAsLong())
                : plain;
    }

    private static void exercise(Guest guest, Deadline deadline) {
        try (GuestExecution done = guest.exec(EXERCISE, deadline)) {
            var _ = done.await(deadline);
        } catch (SpawnException missing) {
            return;
        }
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
        } catch (RuntimeException somebodyElses) {
            log("pool entry " + wanted.left().id() + " is not adopted", somebodyElses);
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
        Optional<String> resists = destroy(wanted.entry().vm());
        return resists.isEmpty()
                ? (core, now) -> core.destroyed(wanted.entry(), now)
                : (core, now) -> core.destroyFailed(wanted.entry(), resists.get(), now);
    }

    /** Why it could not be destroyed; empty if it is gone. */
    private Optional<String> destroy(Vm vm) {
        try {
            if (vm.state().live()) {
                var _ = vm.kill(Deadline.after(config.destroyWithin()));
            }
            vm.destroy();
            vm.close();
            return Optional.empty();
        } catch (RuntimeException e) {
            log("pool entry " + vm.id() + " resists", e);
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    void leave(Effect.Leave wanted) {
        try {
            wanted.entry().vm().close();
        } catch (RuntimeException e) {
            log("pool entry " + wanted.entry() + " is not let go", e);
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
        } catch (RuntimeException e) {
            log("the pool entries of others cannot be listed", e);
        }
        return (core, now) -> core.swept(left, now);
    }

    private boolean reclaimed(VmId id) {
        try {
            return provider.reclaim(id, Deadline.after(config.destroyWithin()));
        } catch (RuntimeException e) {
            log("pool entry " + id + " is not reclaimed", e);
            return false;
        }
    }

    /** How a hand-off ended. */
    sealed interface Outcome {
        record Done() implements Outcome {}

        /** The VM is no good; another may be. */
        record Broken(Eviction cause) implements Outcome {}

        /** The acquirer's own doing; the VM may be as it was. */
        record Failed(RuntimeException why, boolean usable) implements Outcome {}
    }

    /** Makes an entry the acquirer's: chosen, claimed, continued, and acknowledged by its guest. */
    Outcome handOver(Waiter.Grant.Ready ready, HandOff handOff, Deadline deadline) {
        Vm vm = ready.entry().vm();
        Checks check = ready.recent() ? new Checks(EntryValidator.none(), config.checkWithin()) : checks;
        if (check.of(vm, deadline.remainingNanos()) instanceof Verdict.Unhealthy) {
            return Thread.currentThread().isInterrupted()
                    ? new Outcome.Failed(new PoolException.Interrupted(), true)
                    : new Outcome.Broken(Eviction.VALIDATION);
        }
        try {
            handOff.chosen(vm.id());
        } catch (RuntimeException e) {
            return new Outcome.Failed(e, true);
        }
        try {
            vm.claim();
        } catch (VmException retired) {
            log("pool entry " + vm.id() + " cannot be claimed", retired);
            return new Outcome.Broken(Eviction.AGE);
        }
        Identity identity = new Identity(handOff);
        try {
            vm.resume(identity::ask, deadline);
            return new Outcome.Done();
        } catch (RuntimeException e) {
            boolean interrupted = Thread.interrupted();
            // Before its acquirer writes down another: a claimed VM is on no list of the pool any more.
            var _ = destroy(vm);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (identity.wrong(e) || deadline.passed() || Thread.currentThread().isInterrupted()) {
                return new Outcome.Failed(e, false);
            }
            log("pool entry " + vm.id() + " does not come back", e);
            return new Outcome.Broken(Eviction.HAND_OFF);
        }
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
            destroy(vm).ifPresent(why -> e.addSuppressed(new IllegalStateException(why)));
            throw e;
        }
    }

    private static void log(String what, RuntimeException why) {
        System.Logger.Level level =
                why instanceof ClocheException ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING;
        System.getLogger(WarmPool.class.getName()).log(level, what, why);
    }
}
