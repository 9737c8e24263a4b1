package dev.cloche.pool.driver;

import dev.cloche.base.Deadline;
import dev.cloche.pool.Eviction;
import dev.cloche.pool.HandOff;
import dev.cloche.pool.Host;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolConfigs;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.core.PoolCore;
import dev.cloche.pool.core.PoolEffect;
import dev.cloche.pool.core.PoolEntry;
import dev.cloche.pool.core.Waiter;
import dev.cloche.pool.provision.HandOffProcedure;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.Vm;
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

/**
 * Plays a process with a pool, whose threads the simulation is: it does one effect at a time, any of those that are
 * wanted.
 */
final class PoolProcess {
    static final PoolConfig CONFIG = PoolConfigs.from(PoolConfig.DEFAULT)
            .refillInterval(Duration.ofSeconds(5))
            .retry(Duration.ofSeconds(1), Duration.ofSeconds(8), 3)
            .budget(6, 100_000)
            .config()
            .withRestoreWithin(Duration.ofMillis(60), Duration.ofSeconds(3));

    private static final Deadline SOON = Deadline.after(Duration.ofMinutes(10));

    final PoolCore core;
    final List<PoolEffect> effects = new ArrayList<>();
    /** Holds the waiters by the order of asking. */
    final Map<Integer, Waiter> waiters = new LinkedHashMap<>();

    final Map<VmId, Vm> handed = new LinkedHashMap<>();
    /** Whether the latest step has. */
    boolean beganRestores;

    private final Host host;
    private final Set<VmId> books;
    private final PoolWorker worker;
    private int asked;

    PoolProcess(Host host, Set<VmId> books, Supplier<VmId> ids, long seed, long now) {
        this.host = host;
        this.books = books;
        worker = new PoolWorker(host.provider, CONFIG, event -> {});
        core = new PoolCore(CONFIG, new SplittableRandom(seed), ids, now);
    }

    void drain() {
        beganRestores = false;
        for (PoolEffect effect : core.drain()) {
            beganRestores |= effect instanceof PoolEffect.Restore;
            if (!(effect instanceof PoolEffect.Tell) && !(effect instanceof PoolEffect.Cancel)) {
                effects.add(effect);
            }
        }
    }

    void perform(int which, long now) {
        PoolEffect effect = effects.remove(which);
        switch (effect) {
            case PoolEffect.Restore restore -> worker.restore(restore).tell(core, now);
            case PoolEffect.Destroy destroy -> worker.destroy(destroy).tell(core, now);
            case PoolEffect.Sweep() -> worker.sweep().tell(core, now);
            case PoolEffect.Cancel _, PoolEffect.Tell _ -> throw new IllegalStateException("not kept: " + effect);
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
            case Waiter.Grant.Ready ready -> {
                switch (worker.handOver(ready.entry().vm(), handOff(random), SOON)) {
                    case HandOffProcedure.Outcome.Done(Vm vm) -> {
                        waiters.remove(who);
                        handedOver(ready.entry(), vm, now);
                    }
                    case HandOffProcedure.Outcome.Broken(Eviction cause) ->
                        core.again(waiter, ready.entry(), cause, now);
                    case HandOffProcedure.Outcome.Failed(Throwable _, boolean usable) -> {
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

    private void handedOver(PoolEntry entry, Vm vm, long now) {
        if (handed.put(vm.id(), vm) != null) {
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
                return kind == 2 ? GuestIdentity.UNCHANGED : Host.HANDOFF.identity();
            }
        };
    }

    /** As the kernel and the guards do when the process is killed: locks are free, attached VMs end. */
    void die() {
        host.faults.failDestroys(0);
        handed.values().forEach(Vm::close);
        handed.values().forEach(Vm::destroy);
    }
}
