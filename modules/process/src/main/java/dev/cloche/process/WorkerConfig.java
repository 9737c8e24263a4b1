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
 * @param poll how often it asks for work while it has room. A dead owner's work is taken over within {@code ttl + poll}
 * @param stopWithin how long its end waits for drivers to return
 */
public record WorkerConfig(
        String owner, Set<String> inputTypes, int concurrency, Duration ttl, Duration poll, Duration stopWithin) {
    public WorkerConfig {
        inputTypes = Set.copyOf(inputTypes);
        var _ = new ClaimRequest(owner, inputTypes, concurrency, ttl);
        if (poll.isNegative() || poll.isZero()) {
            throw new ProcessException.Invalid("a worker asks for work at intervals, not every " + poll);
        }
        if (stopWithin.isNegative()) {
            throw new ProcessException.Invalid("a worker's end cannot take " + stopWithin);
        }
    }

    /** Eight processes at once, leases of 30 s, and questions for work less than a second apart. */
    public static WorkerConfig of(String owner, Set<String> inputTypes) {
        return new WorkerConfig(
                owner, inputTypes, 8, Duration.ofSeconds(30), Duration.ofMillis(950), Duration.ofSeconds(10));
    }

    public WorkerConfig withConcurrency(int count) {
        return new WorkerConfig(owner, inputTypes, count, ttl, poll, stopWithin);
    }

    public WorkerConfig withWindows(Duration leases, Duration questions, Duration end) {
        return new WorkerConfig(owner, inputTypes, concurrency, leases, questions, end);
    }

    ClaimRequest request(int limit) {
        return new ClaimRequest(owner, inputTypes, limit, ttl);
    }
}
