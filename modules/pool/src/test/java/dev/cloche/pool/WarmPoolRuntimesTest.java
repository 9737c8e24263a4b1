package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several pools on one host, at once and one after the other. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolRuntimesTest extends WarmPoolFixture {
    @Test
    void theNextRuntimeAdoptsWhatThisOneLeaves() {
        SnapshotRef snapshot = host.snapshot("s");
        WarmPool first = open(QUIET);
        register(first, KEY, snapshot);
        awaitDepth(first, KEY, 4);
        first.close();
        Set<VmId> left = new HashSet<>();
        host.provider.pooled().forEach(vm -> left.add(vm.id()));
        assertThat(left).hasSize(4);

        WarmPool second = open(QUIET);
        register(second, KEY, snapshot);
        awaitDepth(second, KEY, 4);
        assertThat(second.metrics().adopted()).isEqualTo(4);
        assertThat(second.metrics().created()).isZero();
        try (WarmVm warm = second.acquire(KEY, HANDOFF, soon())) {
            assertThat(left).contains(warm.id());
            assertThat(warm.kind()).isEqualTo(PoolStartKind.WARM);
        }
    }

    @Test
    void twoRuntimesNeverShareAnEntry() {
        SnapshotRef snapshot = host.snapshot("s");
        PoolConfig config = PoolConfigs.from(depth(DepthPolicy.of(2)))
                .refillInterval(Duration.ofMillis(10))
                .config();
        WarmPool first = open(config);
        try (WarmPool second = WarmPool.start(host.provider, config)) {
            register(first, KEY, snapshot);
            register(second, KEY, snapshot);
            Set<VmId> seen = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                for (WarmPool pool : List.of(first, second)) {
                    try (WarmVm warm = pool.acquire(KEY, HANDOFF, soon())) {
                        assertThat(seen.add(warm.id())).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void whatAKilledRuntimeLeftIsReclaimedOrAdopted() {
        SnapshotRef snapshot = host.snapshot("s");
        PoolSlot slot = new PoolSlot(KEY.label(), Duration.ofMinutes(10));
        // Killed over a restore, just after shelving, and with an entry that its guard ended since.
        Vm open = host.provider.create(VmSpec.restored(VmId.random(), snapshot), slot);
        open.prepare(soon());
        open.close();
        Vm shelved = host.provider.create(VmSpec.restored(VmId.random(), snapshot), slot);
        shelved.prepare(soon());
        shelved.shelve();
        shelved.close();
        Vm retired = host.provider.create(VmSpec.restored(VmId.random(), snapshot), slot);
        retired.prepare(soon());
        retired.shelve();
        retired.close();
        assertThat(host.provider.retire(retired.id())).isTrue();

        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, snapshot);
        awaitDepth(pool, KEY, 1);
        await().until(() -> host.vms() == 1);
        assertThat(host.provider.list().getFirst().id()).isEqualTo(shelved.id());
    }
}
