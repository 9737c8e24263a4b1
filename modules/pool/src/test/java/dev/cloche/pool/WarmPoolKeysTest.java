package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What registrations do, to their own keys and to no others. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolKeysTest extends WarmPoolFixture {
    @Test
    void unregisteringDestroysThatKeysEntriesAndNoOthers() {
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        StackKey other = key("other");
        SnapshotRef snapshot = host.snapshot("s");
        register(pool, KEY, snapshot);
        register(pool, other, snapshot);
        awaitDepth(pool, KEY, 2);
        awaitDepth(pool, other, 2);
        pool.unregister(KEY);
        assertThatThrownBy(() -> pool.acquire(KEY, HANDOFF, soon())).isInstanceOf(PoolException.UnknownKey.class);
        await().until(() -> host.vms() == 2);
        assertThat(of(pool, other).depth()).isEqualTo(2);
        assertThat(pool.metrics().evicted()).isEqualTo(2);
        pool.acquire(other, HANDOFF, soon()).close();
    }

    @Test
    void unregisteringAnUnknownKeyDoesNothing() {
        WarmPool pool = open(QUIET);
        pool.unregister(key("nobody"));
        assertThat(pool.metrics().evicted()).isZero();
    }

    @Test
    void registeringAgainReplacesTheSnapshotWithoutAnEmptyMoment() {
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        SnapshotRef old = host.snapshot("old");
        SnapshotRef current = host.snapshot("current");
        register(pool, KEY, old);
        awaitDepth(pool, KEY, 2);
        Set<Integer> depths = new HashSet<>();
        register(pool, KEY, current);
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            depths.add(of(pool, KEY).depth());
            return of(pool, KEY).evictions().getOrDefault(Eviction.REPLACED, 0L) == 2
                    && of(pool, KEY).inFlight() == 0;
        });
        assertThat(depths).doesNotContain(0);
        for (int i = 0; i < 2; i++) {
            awaitDepth(pool, KEY, 2);
            Map<VmId, SnapshotRef> sources = host.sources();
            try (WarmVm warm = pool.acquire(KEY, HANDOFF, soon())) {
                assertThat(sources).containsEntry(warm.id(), current);
            }
        }
    }

    @Test
    void keysThatDifferInOnePartAreDifferent() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        SnapshotRef snapshot = host.snapshot("s");
        StackKey a = new StackKey("a/b", "c", 1, 256);
        StackKey b = new StackKey("a", "b/c", 1, 256);
        register(pool, a, snapshot);
        register(pool, b, snapshot);
        awaitDepth(pool, a, 1);
        awaitDepth(pool, b, 1);
        pool.acquire(a, HANDOFF, soon()).close();
        assertThat(of(pool, a).acquired()).isOne();
        assertThat(of(pool, b).acquired()).isZero();
    }

    @Test
    void aSnapshotOfAnotherSizeIsRefused() {
        WarmPool pool = open(QUIET);
        SnapshotRef snapshot = host.snapshot("s");
        assertThatThrownBy(() -> register(pool, new StackKey("a", "1", 2, 256), snapshot))
                .isInstanceOf(PoolException.Invalid.class);
        assertThatThrownBy(() -> register(pool, new StackKey("a", "1", 1, 512), snapshot))
                .isInstanceOf(PoolException.Invalid.class);
    }

    @Test
    void hostileNamesAreHarmless() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        SnapshotRef snapshot = host.snapshot("s");
        List<StackKey> keys = List.of(
                key("../../etc/passwd"), key("a b\n\0\"';$(reboot)"), key("%2e%2e%2f"), key("ä".repeat(128)), key(" "));
        keys.forEach(hostile -> register(pool, hostile, snapshot));
        for (StackKey hostile : keys) {
            awaitDepth(pool, hostile, 1);
            pool.acquire(hostile, HANDOFF, soon()).close();
            assertThat(of(pool, hostile).acquired()).isOne();
        }
    }
}
