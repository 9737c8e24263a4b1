package dev.cloche.pool.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.Eviction;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolConfigs;
import dev.cloche.pool.PoolException;
import dev.cloche.pool.StackKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The pool's decisions as functions. */
class PlansTest {
    private static final long SECOND = 1_000_000_000;

    private static StackKey key(String name) {
        return new StackKey(name, "1", 1, 100);
    }

    private static RefillPlan.Need need(String name, int forWaiters, int forDepth, int have, int target) {
        return new RefillPlan.Need(key(name), forWaiters, forDepth, have, target);
    }

    private static List<String> plan(List<RefillPlan.Need> needs, int places, int vms, long memory) {
        return RefillPlan.plan(needs, places, vms, memory).stream()
                .map(StackKey::name)
                .toList();
    }

    @Test
    void whoWaitsComesBeforeDepthAndEachKeyInTurn() {
        List<RefillPlan.Need> needs = List.of(need("deep", 0, 4, 0, 4), need("a", 2, 0, 0, 4), need("b", 2, 0, 3, 4));
        assertThat(plan(needs, 5, 100, 100_000)).containsExactly("a", "b", "a", "b", "deep");
    }

    @Test
    void thePoorestKeyIsServedFirst() {
        List<RefillPlan.Need> needs = List.of(need("rich", 0, 1, 3, 4), need("poor", 0, 4, 0, 4));
        assertThat(plan(needs, 4, 100, 100_000)).containsExactly("poor", "poor", "poor", "rich");
        assertThat(plan(needs, 9, 100, 100_000)).hasSize(5);
    }

    @Test
    void neitherPlacesNorTheBudgetAreExceeded() {
        List<RefillPlan.Need> needs = List.of(need("a", 3, 5, 0, 5));
        assertThat(plan(needs, 2, 100, 100_000)).hasSize(2);
        assertThat(plan(needs, 9, 3, 100_000)).hasSize(3);
        assertThat(plan(needs, 9, 100, 250)).hasSize(2);
        assertThat(plan(needs, 9, -2, -5)).isEmpty();
        assertThat(plan(List.of(), 9, 9, 9)).isEmpty();
    }

    private static EvictionPlan.Candidate entry(long number, long born, boolean current) {
        return new EvictionPlan.Candidate(number, born, born + 8, born + 10, current);
    }

    @Test
    void whatIsTooOldGoesWithOrWithoutAReplacement() {
        assertThat(EvictionPlan.plan(List.of(entry(1, 0, true), entry(2, 5, true)), 0, 4, 10))
                .containsExactly(new EvictionPlan.Going(1, Eviction.AGE));
    }

    @Test
    void whatIsStaleGoesOnlyWhenItsReplacementIsThere() {
        List<EvictionPlan.Candidate> ready = List.of(entry(1, 0, true), entry(2, 5, false));
        assertThat(EvictionPlan.plan(ready, 0, 2, 9)).isEmpty();
        List<EvictionPlan.Candidate> replaced =
                List.of(entry(1, 0, true), entry(2, 5, false), entry(3, 9, true), entry(4, 9, true));
        assertThat(EvictionPlan.plan(replaced, 0, 2, 9))
                .containsExactly(new EvictionPlan.Going(1, Eviction.AGE), new EvictionPlan.Going(2, Eviction.REPLACED));
    }

    @Test
    void ofTooManyTheOldestGo() {
        List<EvictionPlan.Candidate> ready = List.of(entry(3, 3, true), entry(1, 1, true), entry(2, 2, true));
        assertThat(EvictionPlan.plan(ready, 1, 2, 4))
                .containsExactly(
                        new EvictionPlan.Going(1, Eviction.SURPLUS), new EvictionPlan.Going(2, Eviction.SURPLUS));
        assertThat(EvictionPlan.plan(ready, 9, 0, 4)).hasSize(3);
    }

    @Test
    void depthFollowsDemandBetweenTheMarksAndGoesCold() {
        DepthPolicy policy = new DepthPolicy(1, 5, DepthPolicy.Sizing.BY_DEMAND, Optional.of(Duration.ofMinutes(5)));
        Demand demand = Demand.none(0);
        assertThat(demand.target(policy, SECOND)).isEqualTo(1);
        demand = demand.restored(Duration.ofSeconds(2));
        for (int i = 0; i < 120; i++) {
            demand = demand.arrived(i * SECOND / 2);
        }
        // Two a second for a minute, and two seconds for each restore.
        assertThat(demand.target(policy, 60 * SECOND)).isBetween(3, 5);
        assertThat(demand.target(DepthPolicy.DEFAULT, 60 * SECOND)).isEqualTo(4);
        assertThat(demand.target(policy, 240 * SECOND)).isLessThan(3).isPositive();
        assertThat(demand.target(policy, 400 * SECOND)).isZero();
    }

    @Test
    void pausesGrowToTheLongestWithJitter() {
        PoolConfig.Retry retry = new PoolConfig.Retry(Duration.ofSeconds(1), Duration.ofSeconds(8), 3);
        SplittableRandom random = new SplittableRandom(1);
        RestoreBackoff backoff = RestoreBackoff.NONE;
        assertThat(backoff.pausing(0)).isFalse();
        for (int i = 1; i <= 60; i++) {
            backoff = backoff.failed("why", retry, 0, random);
            long full = Math.min(8, 1L << Math.min(i - 1, 10)) * SECOND;
            assertThat(backoff.retryAt()).isBetween(full / 2, full);
            assertThat(backoff.broken(retry)).isEqualTo(i >= 3);
        }
        assertThat(backoff.pausing(backoff.retryAt() - 1)).isTrue();
        assertThat(backoff.pausing(backoff.retryAt())).isFalse();
        assertThat(backoff.over().broken(retry)).isFalse();
        assertThat(backoff.over().last()).contains("why");
    }

    @Test
    void everyKeyComesBackFromItsLabelAndNothingElseDoes() {
        for (String name : List.of("a", "a b", "../x", "ä\n\0%", "a+b", " ")) {
            StackKey whole = new StackKey(name, name + "2", 3, 4);
            assertThat(StackKey.ofLabel(whole.label())).contains(whole);
            assertThat(whole.label()).matches("[ -~]+");
        }
        for (String label : List.of("", "a", "a b c d", "a b 1 -1", "a b 1 2 3", "% % 1 1", " b 1 1")) {
            assertThat(StackKey.ofLabel(label)).isEmpty();
        }
        assertThatThrownBy(() -> new StackKey("\uD800", "1", 1, 1)).isInstanceOf(PoolException.Invalid.class);
        assertThatThrownBy(() -> new StackKey("", "1", 1, 1)).isInstanceOf(PoolException.Invalid.class);
        assertThatThrownBy(() -> new StackKey("a", "1", 0, 1)).isInstanceOf(PoolException.Invalid.class);
    }

    @Test
    void configurationsThatMeanNothingAreRefused() {
        assertThatThrownBy(() -> DepthPolicy.of(0)).isInstanceOf(PoolException.Invalid.class);
        assertThatThrownBy(() -> new DepthPolicy(3, 2, DepthPolicy.Sizing.FULL, Optional.empty()))
                .isInstanceOf(PoolException.Invalid.class);
        assertThatThrownBy(() -> PoolConfig.DEFAULT.withPrepareWithin(Duration.ZERO))
                .isInstanceOf(PoolException.Invalid.class);
        assertThatThrownBy(() ->
                        PoolConfigs.from(PoolConfig.DEFAULT).parallelRestores(0).config())
                .isInstanceOf(PoolException.Invalid.class);
        assertThatThrownBy(() -> new PoolConfig.Budget(0, 1)).isInstanceOf(PoolException.Invalid.class);
        assertThat(DepthPolicy.DEFAULT).isEqualTo(new DepthPolicy(1, 4, DepthPolicy.Sizing.FULL, Optional.empty()));
        assertThat(PoolConfig.DEFAULT.refillInterval()).isEqualTo(Duration.ofSeconds(5));
    }
}
