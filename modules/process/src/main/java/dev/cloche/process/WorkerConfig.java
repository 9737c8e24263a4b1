package dev.cloche.process;

import java.time.Duration;
import java.util.Set;

/**
 * Says how a worker works.
 *
 * @param owner who holds its leases; of one worker alone, so for example a host with the start of its runtime
 * @param inputTypes tags of the inputs that its driver can drive
 * @param hostProfiles what kinds of host this is ({@link Provenance#hostProfileId}); empty for any
 * @param concurrency how many processes it drives at once, from 1 to {@link ClaimRequest#MOST}
 * @param ttl how long a lease lasts after its latest renewal; renewals come at a third of it
 * @param safetyNet how long it waits at most before it asks for work that nothing has told it of. It is told of what is
 *     registered and given back, and knows beforehand when leases end; this is only for what gets lost on the way
 * @param stopWithin how long its end waits for drivers to return
 * @param returns the pauses before a process is offered again whose driver gave it back and named no pause
 */
public record WorkerConfig(
        String owner,
        Set<String> inputTypes,
        Set<String> hostProfiles,
        int concurrency,
        Duration ttl,
        Duration safetyNet,
        Duration stopWithin,
        Backoff returns) {
    public WorkerConfig {
        inputTypes = Set.copyOf(inputTypes);
        hostProfiles = Set.copyOf(hostProfiles);
        var _ = new ClaimRequest(owner, inputTypes, hostProfiles, concurrency, ttl);
        if (safetyNet.isNegative() || safetyNet.isZero()) {
            throw new ProcessException.Invalid("a worker asks for work at intervals, not every " + safetyNet);
        }
        if (stopWithin.isNegative()) {
            throw new ProcessException.Invalid("a worker's end cannot take " + stopWithin);
        }
    }

    /**
     * Returns one for any kind of host: eight processes at once, leases of 30 s, a safety net as wide, and pauses from 1 s to 1
     * min after what is given back.
     */
    public static WorkerConfig of(String owner, Set<String> inputTypes) {
        return new WorkerConfig(
                owner,
                inputTypes,
                Set.of(),
                8,
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1)));
    }

    public WorkerConfig withConcurrency(int count) {
        return new WorkerConfig(owner, inputTypes, hostProfiles, count, ttl, safetyNet, stopWithin, returns);
    }

    public WorkerConfig withWindows(Duration leases, Duration questions, Duration end) {
        return new WorkerConfig(owner, inputTypes, hostProfiles, concurrency, leases, questions, end, returns);
    }

    public WorkerConfig withHostProfiles(Set<String> kinds) {
        return new WorkerConfig(owner, inputTypes, kinds, concurrency, ttl, safetyNet, stopWithin, returns);
    }

    public WorkerConfig withReturns(Backoff pauses) {
        return new WorkerConfig(owner, inputTypes, hostProfiles, concurrency, ttl, safetyNet, stopWithin, pauses);
    }

    ClaimRequest request(int limit) {
        return new ClaimRequest(owner, inputTypes, hostProfiles, limit, ttl);
    }
}
