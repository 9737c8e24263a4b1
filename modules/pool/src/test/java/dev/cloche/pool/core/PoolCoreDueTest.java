package dev.cloche.pool.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.Host;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolConfigs;
import dev.cloche.pool.Registration;
import dev.cloche.pool.WarmPoolFixture;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a core asks for its next tick: a driver that is late must not miss what became due meanwhile. */
class PoolCoreDueTest {
    private static final long START = Long.MAX_VALUE - 5;
    private static final PoolConfig CONFIG = PoolConfigs.from(PoolConfig.DEFAULT)
            .refillInterval(Duration.ofHours(1))
            .retry(Duration.ofMillis(5), Duration.ofMillis(20), 3)
            .config();

    private final Host host = new Host();
    private final PoolCore core = new PoolCore(CONFIG, new SplittableRandom(1), VmId::random, START);

    @AfterEach
    void closeTheHost() {
        host.close();
    }

    @Test
    void aRetryThatBecameDueBeforeTheDriverLookedIsNotMissed() {
        SnapshotRef snapshot = host.snapshot("s");
        core.register(WarmPoolFixture.KEY, Registration.of(snapshot).withDepth(DepthPolicy.of(1)), START);
        core.drain();
        core.swept(List.of(), Set.of(), START, START);
        PoolEffect.Restore begun = restores().findFirst().orElseThrow();
        core.failed(begun.ticket(), new IllegalStateException("no"), false, false, snapshot, START);
        assertThat(restores()).isEmpty();
        assertThat(core.untilDue(START)).isLessThanOrEqualTo(Duration.ofMillis(5));
        long late = START + Duration.ofSeconds(1).toNanos();
        assertThat(core.untilDue(late)).isEqualTo(Duration.ofMillis(1));
        assertThat(core.isDue(late)).isTrue();
        core.tick(late);
        assertThat(core.isDue(late)).isFalse();
        assertThat(restores()).hasSize(1);
        assertThat(core.untilDue(late)).isGreaterThan(Duration.ofMillis(100));
    }

    @Test
    void whatIsFoundIsAsOldAsItWasWhenItWasLookedAtAndTheTimeSince() {
        SnapshotRef snapshot = host.snapshot("s");
        Duration maxAge = Duration.ofHours(1);
        core.register(WarmPoolFixture.KEY, Registration.of(snapshot).withDepth(DepthPolicy.of(2)), START);
        core.drain();
        long now = START + Duration.ofMinutes(10).toNanos();
        core.swept(List.of(found(snapshot, Duration.ofMinutes(20)), found(snapshot, maxAge)), Set.of(), START, now);
        assertThat(CoreView.entries(core))
                .extracting(PoolEntry::bornAt)
                .containsExactly(START - Duration.ofMinutes(20).toNanos());
    }

    private static PooledVm found(SnapshotRef snapshot, Duration age) {
        PoolSlot slot = new PoolSlot(WarmPoolFixture.KEY.label(), Duration.ofHours(1));
        return new PooledVm(VmId.random(), slot, PooledVm.Stage.SHELVED, Optional.of(snapshot), 256, age);
    }

    private Stream<PoolEffect.Restore> restores() {
        return core.drain().stream()
                .filter(PoolEffect.Restore.class::isInstance)
                .map(PoolEffect.Restore.class::cast);
    }
}
