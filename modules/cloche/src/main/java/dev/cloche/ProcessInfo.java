package dev.cloche;

import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessView;
import dev.cloche.process.RecoveryPolicy;
import java.time.Instant;
import java.util.Optional;

/**
 * A process, as it is recorded.
 *
 * <pre>{@code
 * ProcessInfo process = cloche.processes().find("build-42").orElseThrow();
 * System.out.println(process.status() + " " + process.output().orElse(""));
 * }</pre>
 *
 * @param inputType what kind of work it is, for example {@code sandbox_exec}
 * @param input JSON
 * @param status {@code running}, {@code completed}, {@code failed}, {@code cancelled} or {@code abandoned}
 * @param output how it ended: JSON with a member {@code type}; present exactly if it has
 * @param failure present exactly if it has failed
 * @param session whose it is
 * @param recovery what happens if its owner is lost: {@code rerunnable}, {@code retrying}, {@code owner-bound} or
 *     {@code externally-owned}
 * @param leaseRequired whether only who holds its lease can end it
 * @param waitsFor {@code driven} (its end: a holder of its lease drives it), {@code claimable} (a worker), {@code paused}
 *     (the end of a pause), {@code lost} (a worker: its owner was lost), {@code external} (something outside), {@code ended}
 * @param holder who drives it now
 * @param pausedUntil before which no worker is offered it
 * @param returnedFor why it was given back last, or why its last attempt failed
 * @param lostOwner who was lost last
 * @param attempts owners who hold it, were lost, or had a driver that failed
 * @param events how many it has
 * @param lastSequence of its latest event. The first has 1, or follows those of an earlier process of the id that was pruned
 * @param startedAt when it was first claimed
 * @param updatedAt when something last happened to it
 */
public record ProcessInfo(
        String id,
        String inputType,
        String input,
        String status,
        Optional<String> output,
        Optional<ProcessFailure> failure,
        String session,
        String recovery,
        boolean leaseRequired,
        String waitsFor,
        Optional<Holder> holder,
        Optional<Instant> pausedUntil,
        Optional<String> returnedFor,
        Optional<String> lostOwner,
        int attempts,
        long events,
        long lastSequence,
        Instant createdAt,
        Optional<Instant> startedAt,
        Instant updatedAt) {
    /**
     * Who holds a lease.
     *
     * @param until when it ends unless it is renewed
     */
    public record Holder(String owner, Instant since, Instant until) {}

    static ProcessInfo of(ProcessView view) {
        ProcessRecord process = view.process();
        return new ProcessInfo(
                process.id(),
                process.registration().input().type(),
                process.registration().input().payload().text(),
                process.status().word(),
                process.output().map(output -> output.json().text()),
                process.output().flatMap(ProcessFailure::of),
                process.registration().provenance().ownerScope().session(),
                switch (process.registration().recovery()) {
                    case RecoveryPolicy.Rerunnable _ -> "rerunnable";
                    case RecoveryPolicy.Retrying _ -> "retrying";
                    case RecoveryPolicy.OwnerBound _ -> "owner-bound";
                    case RecoveryPolicy.ExternallyOwned _ -> "externally-owned";
                },
                process.registration().leaseRequired(),
                view.phase().word(),
                view.holder().map(holder -> new Holder(holder.owner(), holder.since(), holder.until())),
                view.pausedUntil(),
                view.returnedFor(),
                view.lostOwner(),
                process.attempts(),
                process.events(),
                process.lastSequence(),
                process.createdAt(),
                view.startedAt(),
                process.updatedAt());
    }
}
