package dev.cloche.pool.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.pool.Host;
import dev.cloche.pool.PoolMetrics;
import dev.cloche.pool.core.CoreView;
import dev.cloche.pool.core.PoolEntry;
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

    /** @param before the waiters that had been granted something before the step */
    void check(PoolProcess runtime, Set<Integer> before, long now) {
        handedOutOnce();
        nothingLeaked();
        neverTooMany(runtime);
        firstComeFirstServed(runtime, before);
        countsAddUp(runtime, now);
    }

    private void handedOutOnce() {
        for (PoolProcess each : runtimes) {
            List<VmId> entries = CoreView.entries(each.core).map(PoolEntry::vm).toList();
            assertThat(entries).doesNotHaveDuplicates().noneMatch(each.handed::containsKey);
        }
        assertThat(runtimes[0].handed.keySet()).noneMatch(runtimes[1].handed::containsKey);
        host.provider.pooled().forEach(vm -> {
            for (PoolProcess each : runtimes) {
                assertThat(each.handed).doesNotContainKey(vm.id());
            }
        });
    }

    /** Of each VM some process or directory knows: a pool, an acquirer, or its shelf, where the next sweep finds it. */
    private void nothingLeaked() {
        Set<VmId> known = new HashSet<>();
        for (PoolProcess each : runtimes) {
            known.addAll(each.handed.keySet());
        }
        host.provider.pooled().forEach(vm -> known.add(vm.id()));
        known.addAll(books);
        assertThat(host.provider.list()).extracting(VmInfo::id).allMatch(known::contains);
    }

    private static void neverTooMany(PoolProcess runtime) {
        CoreView.buckets(runtime.core).values().forEach(bucket -> {
            if (bucket.registration().keeps()) {
                assertThat(bucket.ready.size())
                        .isLessThanOrEqualTo(bucket.depth().max());
            }
            assertThat(bucket.underway.size() + bucket.ready.size()).isLessThanOrEqualTo(3 + 1 + 60);
        });
        if (runtime.beganRestores) {
            // Other processes may have used the same room meanwhile; as far as this one knows, there is enough.
            assertThat(CoreView.vmsOnHost(runtime.core))
                    .isLessThanOrEqualTo(PoolProcess.CONFIG.budget().vms());
        }
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
        long alive = metrics.created() + metrics.adopted() - metrics.acquired() - metrics.evicted();
        assertThat(CoreView.entries(runtime.core).count()).isGreaterThanOrEqualTo(alive);
    }
}
