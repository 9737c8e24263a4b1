package dev.cloche.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What is true of two processes with pools on one host after each step of either. */
final class PoolInvariants {
    private final Host host;
    private final PoolProcess[] runtimes;
    /** What acquirers wrote down. */
    private final Set<VmId> books;

    /** @param runtimes replaced when one is killed */
    PoolInvariants(Host host, PoolProcess[] runtimes, Set<VmId> books) {
        this.host = host;
        this.runtimes = runtimes;
        this.books = books;
    }

    /** @param before who had been granted something before the step */
    void check(PoolProcess runtime, Set<Integer> before, long now) {
        handedOutOnce();
        nothingLeaked();
        neverTooMany(runtime);
        firstComeFirstServed(runtime, before);
        countsAddUp(runtime, now);
    }

    private void handedOutOnce() {
        for (PoolProcess each : runtimes) {
            List<VmId> entries =
                    each.core.entries().map(entry -> entry.vm().id()).toList();
            assertThat(entries).doesNotHaveDuplicates();
            for (PoolProcess any : runtimes) {
                assertThat(entries).noneMatch(any.handed::containsKey);
            }
        }
        assertThat(runtimes[0].handed.keySet()).noneMatch(runtimes[1].handed::containsKey);
    }

    /** Whatever there is, somebody knows: a pool, an acquirer, or its shelf, where the next sweep finds it. */
    private void nothingLeaked() {
        Set<VmId> known = new HashSet<>();
        for (PoolProcess each : runtimes) {
            each.core.entries().forEach(entry -> known.add(entry.vm().id()));
            known.addAll(each.handed.keySet());
        }
        host.provider.pooled().forEach(vm -> known.add(vm.id()));
        known.addAll(books);
        assertThat(host.provider.list()).extracting(VmInfo::id).allMatch(known::contains);
    }

    private static void neverTooMany(PoolProcess runtime) {
        runtime.core.buckets().values().forEach(bucket -> {
            assertThat(bucket.ready.size() + bucket.checking.size())
                    .isLessThanOrEqualTo(bucket.depth().max());
            assertThat(bucket.underway.size() + bucket.ready.size() + bucket.checking.size())
                    .isLessThanOrEqualTo(3 + 1 + 60);
        });
        long inUse = runtime.core.entries().count()
                + runtime.core.buckets().values().stream()
                        .mapToInt(bucket -> bucket.underway.size())
                        .sum();
        assertThat(inUse).isLessThanOrEqualTo(PoolProcess.CONFIG.budget().vms());
    }

    private static void firstComeFirstServed(PoolProcess runtime, Set<Integer> before) {
        runtime.waiters.forEach((who, waiter) -> {
            if (waiter.grant().isDone() && !before.contains(who)) {
                runtime.waiters.forEach((other, older) -> {
                    if (other < who && older.key().equals(waiter.key())) {
                        assertThat(older.grant())
                                .as("waiter %s before %s", other, who)
                                .isDone();
                    }
                });
            }
        });
    }

    private static void countsAddUp(PoolProcess runtime, long now) {
        PoolMetrics metrics = runtime.core.metrics(now);
        long created = metrics.keys().values().stream()
                .mapToLong(PoolMetrics.Key::created)
                .sum();
        assertThat(created).isLessThanOrEqualTo(metrics.created());
        long alive = metrics.created()
                + metrics.adopted()
                - metrics.acquired()
                - metrics.evicted()
                - runtime.left
                - runtime.effects.stream()
                        .filter(Effect.Leave.class::isInstance)
                        .count();
        assertThat(runtime.core.entries().count()).isGreaterThanOrEqualTo(alive);
    }
}
