package dev.cloche.process;

import java.time.Instant;
import java.util.Optional;

/**
 * Says what the registry knows of a process.
 *
 * @param registration as prepared: with the core event types, all in the order of their names
 * @param hash SHA-256 of the canonical encoding of that, 64 hexadecimal digits
 * @param output how it ended; present exactly if it has
 * @param firstSequence of the first event that it has or will have: 1, unless an id was pruned before
 * @param lastSequence of its latest event; one less than the first before that
 * @param attempts owners who hold it or were lost
 * @param updatedAt of the latest event or change of the external reference, by the clock of the store
 */
public record ProcessRecord(
        ProcessRegistration registration,
        String hash,
        Optional<AwaitOutput> output,
        Optional<ExternalRef> externalRef,
        long firstSequence,
        long lastSequence,
        int attempts,
        Instant createdAt,
        Instant updatedAt) {
    /** Returns how many events it has. */
    public long events() {
        return lastSequence - firstSequence + 1;
    }

    public String id() {
        return registration.id();
    }

    public ProcessStatus status() {
        return output.map(AwaitOutput::status).orElse(ProcessStatus.RUNNING);
    }
}
