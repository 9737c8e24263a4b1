package dev.cloche.pool;

import java.time.Duration;

/** Makes configurations that only tests want: rare refills, short back-offs, small budgets. */
public final class PoolConfigs {
    private final PoolConfig plain;
    private Duration refillInterval;
    private int parallelRestores;
    private PoolConfig.Retry retry;
    private PoolConfig.Budget budget;

    private PoolConfigs(PoolConfig plain) {
        this.plain = plain;
        refillInterval = plain.refillInterval();
        parallelRestores = plain.parallelRestores();
        retry = plain.retry();
        budget = plain.budget();
    }

    /** Begins with a configuration, of which the rest stays. */
    public static PoolConfigs from(PoolConfig plain) {
        return new PoolConfigs(plain);
    }

    public PoolConfigs refillInterval(Duration value) {
        refillInterval = value;
        return this;
    }

    public PoolConfigs parallelRestores(int value) {
        parallelRestores = value;
        return this;
    }

    public PoolConfigs retry(Duration first, Duration longest, int breakAfter) {
        retry = new PoolConfig.Retry(first, longest, breakAfter);
        return this;
    }

    public PoolConfigs budget(int vms, long memoryMiB) {
        budget = new PoolConfig.Budget(vms, memoryMiB);
        return this;
    }

    public PoolConfig config() {
        return new PoolConfig(
                refillInterval,
                parallelRestores,
                plain.restoreWithin(),
                plain.slowAfter(),
                plain.prepareWithin(),
                plain.destroyWithin(),
                plain.closeWithin(),
                retry,
                budget);
    }
}
