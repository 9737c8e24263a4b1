package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A process with a pool, whose threads the simulation is: it does one effect at a time, whichever it likes. */
final class PoolProcess {
    static final PoolConfig CONFIG = PoolConfig.DEFAULT
            .withRefillInterval(Duration.ofSeconds(5))
            .withEntryMaxAge(Duration.ofMinutes(1))
            .withChecks(Duration.ofSeconds(5), Duration.ofSeconds(20))
            .withRetry(new PoolConfig.Retry(Duration.ofSeconds(1), Duration.ofSeconds(8), 3))
            .withRestoreWithin(Duration.ofMillis(60), Duration.ofSeconds(3))
            .withBudget(new PoolConfig.Budget(6, 100_000));

    private static final Deadline SOON = Deadline.after(Duration.ofMinutes(10));

    final PoolCore core;
    final List<Effect> effects = new ArrayList<>();
    /** Who waits, by the order of asking. */
    final Map<Integer, Waiter> waiters = new LinkedHashMap<>();

    final Map<VmId, Vm> handed = new LinkedHashMap<>();
    long left;
    private final Host host;
    private final Set<VmId> books;
    private final PoolWorker worker;
    private int asked;

    PoolProcess(Host host, EntryValidator validator, Set<VmId> books, Supplier<VmId> ids, long seed, long now) {
        this.host = host;
        this.books = books;
        worker = new PoolWorker(host.provider, CONFIG, new Checks(validator, CONFIG.checkWithin()));
        core = new PoolCore(CONFIG, new SplittableRandom(seed), ids, now);
    }

    void drain() {
        for (Effect effect : core.drain()) {
            if (!(effect instanceof Effect.Tell) && !(effect instanceof Effect.Cancel)) {
                effects.add(effect);
            }
        }
    }

    void perform(int which, long now) {
        Effect effect = effects.remove(which);
        switch (effect) {
            case Effect.Restore restore -> worker.restore(restore).tell(core, now);
            case Effect.Adopt adopt -> worker.adopt(adopt).tell(core, now);
            case Effect.Check check -> worker.check(check).tell(core, now);
            case Effect.Destroy destroy -> worker.destroy(destroy).tell(core, now);
            case Effect.Sweep() -> worker.sweep().tell(core, now);
            case Effect.Leave leave -> {
                worker.leave(leave);
                left++;
            }
            case Effect.Cancel _, Effect.Tell _ -> throw new IllegalStateException("not kept: " + effect);
        }
        drain();
    }

    void request(StackKey key, long now) {
        waiters.put(asked++, core.request(key, now));
    }

    /** The acquirer whose turn it is goes on with what it was granted. */
    void proceed(int who, Random random, long now) {
        Waiter waiter = Optional.ofNullable(waiters.get(who)).orElseThrow();
        switch (waiter.grant().join()) {
            case Waiter.Grant.Failed _ -> waiters.remove(who);
            case Waiter.Grant.Cold cold -> {
                waiters.remove(who);
                // What is left of a failed one would be for its acquirer to remove.
                host.faults.failDestroys(0);
                try {
                    Vm vm = worker.cold(cold, Host.ANYBODY, SOON);
                    handed.put(vm.id(), vm);
                } catch (VmException failed) {
                    return;
                }
            }
            case Waiter.Grant.Ready ready -> {
                switch (worker.handOver(ready, handOff(random), SOON)) {
                    case HandingOver.Outcome.Done() -> {
                        waiters.remove(who);
                        handedOver(ready.entry(), now);
                    }
                    case HandingOver.Outcome.Broken(Eviction cause) -> core.again(waiter, ready.entry(), cause, now);
                    case HandingOver.Outcome.Failed(Throwable _, boolean usable) -> {
                        waiters.remove(who);
                        if (usable) {
                            core.returned(ready.entry(), now);
                        } else {
                            core.lost(ready.entry(), Eviction.HAND_OFF, now);
                        }
                    }
                }
            }
        }
    }

    void take(StackKey key, Random random, long now) {
        core.take(key, now).ifPresent(ready -> {
            switch (worker.handOver(ready, handOff(random), SOON)) {
                case HandingOver.Outcome.Done() -> handedOver(ready.entry(), now);
                case HandingOver.Outcome.Broken(Eviction cause) -> core.lost(ready.entry(), cause, now);
                case HandingOver.Outcome.Failed(Throwable _, boolean usable) -> {
                    if (usable) {
                        core.returned(ready.entry(), now);
                    } else {
                        core.lost(ready.entry(), Eviction.HAND_OFF, now);
                    }
                }
            }
        });
    }

    private void handedOver(Entry entry, long now) {
        if (handed.put(entry.vm().id(), entry.vm()) != null) {
            throw new AssertionError("handed out twice: " + entry);
        }
        core.handedOver(entry, now);
    }

    /** Mostly as it should be. */
    private HandOff handOff(Random random) {
        int kind = random.nextInt(12);
        return new HandOff() {
            @Override
            public void chosen(VmId vm) {
                if (kind == 0) {
                    throw new IllegalStateException("not me");
                }
                books.add(vm);
            }

            @Override
            public GuestIdentity identity() {
                if (kind == 1) {
                    throw new IllegalStateException("no identity");
                }
                return kind == 2 ? GuestIdentity.UNCHANGED : Host.ANYBODY.identity();
            }
        };
    }

    /** As the kernel and the guards do when the process is killed: locks are free, attached VMs end. */
    void die() {
        host.faults.failDestroys(0);
        core.entries().toList().forEach(entry -> entry.vm().close());
        // The core has let go of these, their process not yet.
        effects.stream()
                .flatMap(effect -> effect instanceof Effect.Leave(Entry entry) ? Stream.of(entry) : Stream.empty())
                .forEach(entry -> entry.vm().close());
        handed.values().forEach(Vm::close);
        handed.values().forEach(Vm::destroy);
    }
}
