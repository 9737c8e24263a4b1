package dev.cloche.process;

import java.time.Instant;
import java.util.Optional;

/**
 * Describes a process as of one moment, for those who look at it.
 *
 * @param phase what it waits for
 * @param startedAt when it was first claimed; empty before, or if a program of an older version claimed it
 * @param holder who holds its lease, if that is live
 * @param pausedUntil when workers are offered it again; present exactly if it is {@link ProcessPhase#PAUSED}
 * @param returnedFor why it was given back last, or why its last attempt failed
 * @param lostOwner who was lost last: whose lease ran out without being released
 */
public record ProcessView(
        ProcessRecord process,
        ProcessPhase phase,
        Optional<Instant> startedAt,
        Optional<Holder> holder,
        Optional<Instant> pausedUntil,
        Optional<String> returnedFor,
        Optional<String> lostOwner) {
    /** Returns the id of the process. */
    public String id() {
        return process.id();
    }

    /** Returns where the process is in its life. */
    public ProcessStatus status() {
        return process.status();
    }

    /** Returns how the process ended; empty while it runs. */
    public Optional<AwaitOutput> output() {
        return process.output();
    }

    /** Returns why the process failed; present exactly if it did. */
    public Optional<AwaitOutput.Failure> failure() {
        return output().filter(AwaitOutput.Failure.class::isInstance).map(AwaitOutput.Failure.class::cast);
    }

    /**
     * Who holds a lease.
     *
     * @param since when it was claimed, by the store's wall clock
     * @param until when it ends unless it is renewed, the same
     */
    public record Holder(String owner, long fence, Instant since, Instant until) {}
}
