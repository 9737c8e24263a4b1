package dev.cloche.pool.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.Host;
import dev.cloche.pool.Preparation;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.core.CoreView;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks two runtimes with pools on one host, under events of every kind in any order. A failure names its seed: run
 * that one with {@code -Dpool.seed=N}.
 */
class PoolModelTest {
    private static final int STEPS = 400;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void theInvariantsHoldAfterEveryStep(long seed) {
        new Run(seed).all();
    }

    @Test
    @Tag("slow")
    void theInvariantsHoldForMany() {
        long begin = Long.getLong("pool.seed", 1000);
        int count = Integer.getInteger("pool.runs", 300);
        for (long seed = begin; seed < begin + count; seed++) {
            new Run(seed).all();
        }
    }

    private static final class Run {
        private static final List<StackKey> KEYS = List.of(Host.key("a"), Host.key("b"), Host.key("../c"));

        private final long seed;
        private final Random random;
        private final Host host = new Host();
        private final List<SnapshotRef> snapshots = List.of(host.snapshot("one"), host.snapshot("two"));
        private final AtomicInteger unhealthy = new AtomicInteger();
        private final PoolProcess[] runtimes = new PoolProcess[2];
        /** What acquirers wrote down. */
        private final Set<VmId> books = new HashSet<>();

        private final PoolInvariants invariants = new PoolInvariants(host, runtimes, books);
        private final List<String> history = new ArrayList<>();
        private long now;

        Run(long seed) {
            this.seed = seed;
            random = new Random(seed);
            now = random.nextLong();
            runtimes[0] = runtime();
            runtimes[1] = runtime();
        }

        private PoolProcess runtime() {
            return new PoolProcess(
                    host,
                    books,
                    // All that looks at all VMs does so in the order of their ids.
                    () -> new VmId(HexFormat.of().toHexDigits(random.nextLong())),
                    random.nextLong(),
                    now);
        }

        void all() {
            try {
                for (int step = 0; step < STEPS; step++) {
                    int which = random.nextInt(2);
                    Set<Integer> granted = granted(runtimes[which]);
                    step(which);
                    runtimes[which].drain();
                    invariants.check(runtimes[which], granted, now);
                }
                finish();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "seed " + seed + " after " + history.size() + " steps, the last "
                                + history.subList(Math.max(0, history.size() - 12), history.size()),
                        e);
            } finally {
                host.close();
            }
        }

        private void step(int which) {
            PoolProcess runtime = runtimes[which];
            StackKey key = KEYS.get(random.nextInt(KEYS.size()));
            int dice = random.nextInt(100);
            if (dice < 40) {
                if (!runtime.effects.isEmpty()) {
                    int effect = random.nextInt(runtime.effects.size());
                    did("perform " + runtime.effects.get(effect));
                    runtime.perform(effect, now);
                }
            } else if (dice < 48) {
                did("register " + key.name());
                runtime.core.register(key, registration(), now);
            } else if (dice < 50) {
                did("unregister " + key.name());
                runtime.core.unregister(key, now);
            } else if (dice < 60) {
                did("request " + key.name());
                if (CoreView.buckets(runtime.core).containsKey(key)) {
                    runtime.request(key, now);
                }
            } else if (dice < 64) {
                did("look");
                runtime.core.sweep(now);
            } else if (dice < 76) {
                List<Integer> ready = List.copyOf(granted(runtime));
                if (!ready.isEmpty()) {
                    int who = ready.get(random.nextInt(ready.size()));
                    did("proceed " + who);
                    runtime.proceed(who, random, now);
                }
            } else if (dice < 78) {
                List<Integer> waiting = List.copyOf(runtime.waiters.keySet());
                if (!waiting.isEmpty()) {
                    int who = waiting.get(random.nextInt(waiting.size()));
                    did("cancel " + who);
                    runtime.core.cancel(
                            Optional.ofNullable(runtime.waiters.remove(who)).orElseThrow(), now);
                }
            } else if (dice < 88) {
                now += Duration.ofMillis(random.nextInt(random.nextInt(10) == 0 ? 90_000 : 3_000))
                        .toNanos();
                did("tick");
                runtime.core.tick(now);
            } else if (dice < 97) {
                fault(random.nextInt(8));
            } else if (dice == 97) {
                did("close");
                runtime.core.close();
                runtime.drain();
                settle(runtime);
                replace(which);
            } else if (dice == 98) {
                did("kill");
                replace(which);
            } else {
                did("memory");
                var _ = runtime.core.memory(random.nextBoolean() ? Optional.of("short") : Optional.empty(), now);
            }
        }

        private Registration registration() {
            int max = 1 + random.nextInt(3);
            DepthPolicy depth = new DepthPolicy(
                    random.nextInt(max + 1),
                    max,
                    random.nextBoolean() ? DepthPolicy.Sizing.FULL : DepthPolicy.Sizing.BY_DEMAND,
                    random.nextInt(4) == 0 ? Optional.of(Duration.ofSeconds(30)) : Optional.empty());
            return Registration.of(snapshots.get(random.nextInt(2)))
                    .withDepth(depth)
                    .withMaxAge(Duration.ofMinutes(1))
                    .withPreparation(Preparation.NONE.withHealthCheck(guest -> {
                        if (unhealthy.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                            throw new IllegalStateException("it is not healthy");
                        }
                    }))
                    .withKeeps(random.nextInt(4) > 0);
        }

        private void fault(int kind) {
            did("fault " + kind);
            List<PooledVm> pooled = host.provider.pooled();
            switch (kind) {
                case 0 -> host.faults.failRestores(1 + random.nextInt(4));
                case 1 -> host.faults.failCreations(1);
                case 2 -> host.faults.failDestroys(1 + random.nextInt(3));
                case 3 -> host.faults.refuseIdentities(1);
                case 4 -> host.faults.hangBoots(random.nextInt(4) == 0 ? 1 : 0);
                case 5 -> unhealthy.set(1 + random.nextInt(3));
                case 6 ->
                    pooled.stream()
                            .filter(vm -> host.provider
                                    .get(vm.id())
                                    .filter(info -> info.state().live())
                                    .isPresent())
                            .skip(random.nextInt(3))
                            .findFirst()
                            .ifPresent(vm -> host.provider.crash(vm.id()));
                default ->
                    pooled.stream().skip(random.nextInt(3)).findFirst().ifPresent(vm -> host.provider.retire(vm.id()));
            }
        }

        private void replace(int which) {
            runtimes[which].die();
            runtimes[which] = runtime();
        }

        private void did(String what) {
            history.add(what);
        }

        private static Set<Integer> granted(PoolProcess runtime) {
            Set<Integer> granted = new HashSet<>();
            runtime.waiters.forEach((who, waiter) -> {
                if (waiter.grant().isDone()) {
                    granted.add(who);
                }
            });
            return granted;
        }

        /**
         * Lets everything come to its end without more faults: no waiter waits for ever, and at the end nothing is
         * left.
         */
        private void finish() {
            host.faults.failRestores(0);
            host.faults.failCreations(0);
            host.faults.failDestroys(0);
            host.faults.refuseIdentities(0);
            host.faults.hangBoots(0);
            unhealthy.set(0);
            for (PoolProcess runtime : runtimes) {
                did("finish");
                for (int round = 0; round < 60 && !runtime.waiters.isEmpty(); round++) {
                    settle(runtime);
                    for (int who : granted(runtime)) {
                        Set<Integer> before = granted(runtime);
                        runtime.proceed(who, random, now);
                        runtime.drain();
                        invariants.check(runtime, before, now);
                    }
                    now += Duration.ofSeconds(10).toNanos();
                    var _ = runtime.core.memory(Optional.empty(), now);
                    runtime.core.tick(now);
                    runtime.drain();
                }
                assertThat(runtime.waiters).as("who waits for ever").isEmpty();
                runtime.core.close();
                runtime.drain();
                settle(runtime);
                assertThat(runtime.core.idle()).isTrue();
                runtime.die();
            }
            PoolProcess last = runtime();
            last.core.tick(now + Duration.ofSeconds(5).toNanos());
            KEYS.forEach(key -> last.core.register(key, registration(), now));
            last.drain();
            settle(last);
            last.core.close();
            last.drain();
            settle(last);
            for (PooledVm vm : host.provider.pooled()) {
                // Of what no process needs any more there is nothing but what its guard retires.
                assertThat(vm.stage()).isEqualTo(PooledVm.Stage.SHELVED);
                assertThat(host.provider.reclaim(vm.id(), Host.soon())).isTrue();
            }
            for (VmInfo left : host.provider.list()) {
                // Its hand-off failed, the disk too, and then its process was killed: its acquirer wrote it down.
                assertThat(books).contains(left.id());
                assertThat(left.state().live()).isFalse();
                host.provider.destroy(left.id());
            }
            assertThat(host.provider.list()).isEmpty();
        }

        private void settle(PoolProcess runtime) {
            for (int i = 0; i < 500 && !runtime.effects.isEmpty(); i++) {
                runtime.perform(0, now);
            }
            assertThat(runtime.effects).isEmpty();
        }
    }
}
