package dev.cloche.process;

import java.time.Instant;
import java.util.Optional;

/**
 * Describes one line of a process's log.
 *
 * @param sequence from 1, without gaps
 * @param payloadHash SHA-256 of the canonical array of type and payload, 64 hexadecimal digits
 * @param at when it was appended, by the clock of the store
 */
public record ProcessEvent(
        String processId,
        long sequence,
        String type,
        Json payload,
        String payloadHash,
        Optional<String> replayKey,
        Optional<Json> causedBy,
        Instant at) {}
