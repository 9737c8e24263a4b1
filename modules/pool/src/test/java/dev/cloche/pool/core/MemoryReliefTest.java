package dev.cloche.pool.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.Eviction;
import dev.cloche.pool.Host;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolException;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.WarmPoolFixture;
import dev.cloche.pool.core.MemoryRelief.Change;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a core does while it is told that its host is short of memory. */
class MemoryReliefTest {
    private static final Optional<String> SHORT = Optional.of("too little");
    private static final Optional<String> ENOUGH = Optional.empty();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Host host = new Host();
    private final SnapshotRef snapshot = host.snapshot("s");
    /** Near its end, where it goes on from the smallest. */
    private long now = Long.MAX_VALUE - 5;

    private final PoolCore core = new PoolCore(PoolConfig.DEFAULT, new SplittableRandom(1), VmId::random, now);
    /** What was restored, in this order. */
    private final List<VmId> made = new ArrayList<>();

    @AfterEach
    void closeTheHost() {
        host.close();
    }

    /** Registers all at once: a later look at the shelves would find none of what is made. */
    private void register(int depth, boolean keeps, StackKey... keys) {
        for (StackKey key : keys) {
            core.register(
                    key,
                    Registration.of(snapshot)
                            .withDepth(DepthPolicy.of(depth))
                            .withMaxAge(Duration.ofDays(1))
                            .withKeeps(keeps),
                    now);
        }
        core.swept(List.of(), Set.of(), now, now);
        restoreAll();
    }

    /** Each a second after the one before. */
    private void restoreAll() {
        for (List<PoolEffect.Restore> begun = restores(); !begun.isEmpty(); begun = restores()) {
            for (PoolEffect.Restore restore : begun) {
                now += SECOND;
                made.add(restore.vm());
                core.made(restore.ticket(), snapshot, Duration.ofDays(1), Duration.ofMillis(1), now);
            }
        }
    }

    private List<PoolEffect.Restore> restores() {
        return effects(PoolEffect.Restore.class).toList();
    }

    private List<PoolEntry> destroys() {
        return effects(PoolEffect.Destroy.class).map(PoolEffect.Destroy::entry).toList();
    }

    private <T> Stream<T> effects(Class<T> kind) {
        return core.drain().stream().filter(kind::isInstance).map(kind::cast);
    }

    /** A look, after which what was to be destroyed is. */
    private List<VmId> gone() {
        now += 2 * SECOND;
        core.memory(SHORT, now);
        List<PoolEntry> going = destroys();
        going.forEach(entry -> core.destroyed(entry, now));
        assertThat(restores()).isEmpty();
        return going.stream().map(PoolEntry::vm).toList();
    }

    private int ready(StackKey key) {
        return Optional.ofNullable(core.metrics(now).keys().get(key))
                .orElseThrow()
                .depth();
    }

    @Test
    void theOldestOfAllKeysGoFirstAndTwiceAsManyAtEachLook() {
        StackKey other = Host.key("other");
        register(4, true, WarmPoolFixture.KEY, other);
        assertThat(made).hasSize(8);
        assertThat(gone()).containsExactly(made.get(0));
        assertThat(gone()).containsExactly(made.get(1), made.get(2));
        assertThat(gone()).containsExactly(made.get(3), made.get(4), made.get(5), made.get(6));
        assertThat(gone()).containsExactly(made.get(7));
        assertThat(gone()).isEmpty();
        assertThat(Optional.ofNullable(core.metrics(now).keys().get(other))
                        .orElseThrow()
                        .evictions())
                .containsEntry(Eviction.PRESSURE, 4L);
    }

    @Test
    void itEndsWithTheShortageAndPoolsFillOnceItHasBeenOverForAWhile() {
        register(4, true, WarmPoolFixture.KEY);
        assertThat(gone()).hasSize(1);
        long last = now;
        assertThat(core.memory(ENOUGH, now + SECOND)).isEqualTo(Change.NONE);
        assertThat(core.memory(ENOUGH, last + MemoryRelief.CALM.toNanos() - 1)).isEqualTo(Change.NONE);
        assertThat(core.drain()).isEmpty();
        assertThat(ready(WarmPoolFixture.KEY)).isEqualTo(3);
        assertThat(core.memory(ENOUGH, last + MemoryRelief.CALM.toNanos())).isEqualTo(Change.OVER);
        restoreAll();
        assertThat(ready(WarmPoolFixture.KEY)).isEqualTo(4);
    }

    @Test
    void itIsToldOnceAlsoWhenItComesBackSoon() {
        register(4, true, WarmPoolFixture.KEY);
        assertThat(core.memory(ENOUGH, now)).isEqualTo(Change.NONE);
        assertThat(core.memory(SHORT, now)).isEqualTo(Change.BEGUN);
        assertThat(core.memory(SHORT, now + SECOND)).isEqualTo(Change.NONE);
        assertThat(core.memory(ENOUGH, now + 2 * SECOND)).isEqualTo(Change.NONE);
        assertThat(core.memory(SHORT, now + 31 * SECOND)).isEqualTo(Change.NONE);
        assertThat(core.memory(ENOUGH, now + 60 * SECOND)).isEqualTo(Change.NONE);
        assertThat(core.memory(ENOUGH, now + 61 * SECOND)).isEqualTo(Change.OVER);
        assertThat(core.memory(SHORT, now + 62 * SECOND)).isEqualTo(Change.BEGUN);
    }

    @Test
    void whatGoesAlreadyIsWaitedFor() {
        register(4, true, WarmPoolFixture.KEY);
        core.memory(SHORT, now);
        List<PoolEntry> first = destroys();
        assertThat(first).hasSize(1);
        core.memory(SHORT, now + SECOND);
        assertThat(destroys()).isEmpty();
        core.destroyed(first.getFirst(), now + SECOND);
        core.memory(SHORT, now + 2 * SECOND);
        assertThat(destroys()).hasSize(2);
    }

    @Test
    void oneThatAsksGetsWhatIsReadyAndIsToldAtOnceWhenNothingIs() {
        register(2, true, WarmPoolFixture.KEY);
        core.memory(SHORT, now);
        assertThat(core.request(WarmPoolFixture.KEY, now).grant())
                .isCompletedWithValueMatching(Waiter.Grant.Ready.class::isInstance);
        assertThat(core.request(WarmPoolFixture.KEY, now).grant())
                .isCompletedWithValueMatching(grant -> grant instanceof Waiter.Grant.Failed(PoolException why)
                        && why instanceof PoolException.NotRestored
                        && why.sentence().contains("too little"));
        assertThat(restores()).isEmpty();
    }

    @Test
    void whatAnotherProcessKeepsIsItsKeepersToEnd() {
        StackKey taken = Host.key("taken");
        register(4, false, taken);
        Waiter waiter = core.request(taken, now);
        restoreAll();
        assertThat(waiter.grant()).isCompletedWithValueMatching(grant -> {
            core.returned(((Waiter.Grant.Ready) grant).entry(), now);
            return true;
        });
        assertThat(ready(taken)).isEqualTo(1);
        assertThat(gone()).isEmpty();
        assertThat(ready(taken)).isEqualTo(1);
    }

    @Test
    void withoutKeysNothingNeedsMemory() {
        assertThat(core.needsMemory()).isFalse();
        register(1, true, WarmPoolFixture.KEY);
        assertThat(core.needsMemory()).isTrue();
        core.close();
        assertThat(core.needsMemory()).isFalse();
        assertThat(core.memory(SHORT, now)).isEqualTo(Change.NONE);
        assertThat(destroys()).isEmpty();
    }
}
