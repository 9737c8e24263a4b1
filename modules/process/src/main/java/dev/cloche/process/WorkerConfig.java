package dev.cloche.process;

import java.time.Duration;
import java.util.Set;

/**
 * How a worker works.
 *
 * @param owner who holds its leases; of one worker alone, so for example a host with the start of its runtime
 * @param inputTypes tags of the inputs that its driver can drive
 * @param concurrency how many processes it drives at once, from 1 to {@link ClaimRequest#MOST}
 * @param ttl how long a lease lasts after its latest renewal; renewals come at a third of it
 * @param safetyNet how long it waits at most before it asks for work that nothing has told it of. It is told of what is
 *     registered and given back, and knows beforehand when leases end; this is only for what gets lost on the way
 * @param stopWithin how long its end waits for drivers to return
 */
public record WorkerConfig(
        String owner, Set<String> inputTypes, int concurrency, Duration ttl, Duration safetyNet, Duration stopWithin) {
    public WorkerConfig {
        inputTypes = Set.copyOf(inputTypes);
        var _ = new ClaimRequest(owner, inputTypes, concurrency, ttl);
        if (safetyNet.isNegative() || safetyNet.isZero()) {
            throw new ProcessException.Invalid("a worker asks for work at intervals, not every " + safetyNet);
        }
        if (stopWithin.isNegative()) {
            throw new ProcessException.Invalid("a worker's end cannot take " + stopWithin);
        }
    }

    /** Eight processes at once, leases of 30 s, and a safety net as wide. */
    public static WorkerConfig of(String owner, Set<String> inputTypes) {
        return new WorkerConfig(
                owner, inputTypes, 8, Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(10));
    }

    public WorkerConfig withConcurrency(int count) {
        return new WorkerConfig(owner, inputTypes, count, ttl, safetyNet, stopWithin);
    }

    public WorkerConfig withWindows(Duration leases, Duration questions, Duration end) {
        return new WorkerConfig(owner, inputTypes, concurrency, leases, questions, end);
    }

    ClaimRequest request(int limit) {
        return new ClaimRequest(owner, inputTypes, limit, ttl);
    }
}
