package dev.cloche;

import dev.cloche.process.ProcessRecord;
import dev.cloche.process.Recovery;
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
 * @param attempts owners who hold it or were lost
 * @param events how many it has
 * @param lastSequence of its latest event. The first has 1, or follows those of an earlier process of the id that was pruned
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
        int attempts,
        long events,
        long lastSequence,
        Instant createdAt,
        Instant updatedAt) {
    static ProcessInfo of(ProcessRecord process) {
        return new ProcessInfo(
                process.id(),
                process.registration().input().type(),
                process.registration().input().payload().text(),
                process.status().word(),
                process.output().map(output -> output.json().text()),
                process.output().flatMap(ProcessFailure::of),
                process.registration().provenance().ownerScope().session(),
                switch (process.registration().recovery()) {
                    case Recovery.Rerunnable _ -> "rerunnable";
                    case Recovery.Retrying _ -> "retrying";
                    case Recovery.OwnerBound _ -> "owner-bound";
                    case Recovery.ExternallyOwned _ -> "externally-owned";
                },
                process.registration().leaseRequired(),
                process.attempts(),
                process.events(),
                process.lastSequence(),
                process.createdAt(),
                process.updatedAt());
    }
}
