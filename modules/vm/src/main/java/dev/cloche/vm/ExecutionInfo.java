package dev.cloche.vm;

import java.time.Instant;
import java.util.Optional;

/**
 * Describes an execution as its guest tells of it. Times are by the guest's clock, and all of it is the guest's word.
 *
 * @param id the agent's name of it, unsigned, for {@link Guest#attach}
 * @param processId in the guest, unsigned
 * @param program its file or name, at most 256 bytes; control characters are replaced
 * @param stdin whether it was given a stdin
 * @param main whether the VM ends with it
 * @param terminal whether it has a terminal
 * @param acknowledged whether its output is held until it is acknowledged
 * @param key what its host called it ({@link ExecRequest#acknowledgedAs}); control characters are replaced
 * @param attached whether a connection reads it at present
 * @param end how it ended; empty while it runs
 * @param endedAt when it ended; present if {@code end} is
 */
public record ExecutionInfo(
        int id,
        int processId,
        String program,
        boolean stdin,
        boolean main,
        boolean terminal,
        boolean acknowledged,
        Optional<String> key,
        boolean attached,
        Instant startedAt,
        Optional<ExitStatus> end,
        Optional<Instant> endedAt,
        Kept stdout,
        Kept stderr) {
    /**
     * Describes the part of an output that the guest has.
     *
     * @param from offset of the oldest byte
     * @param to offset after the latest byte: so much was written in all
     */
    public record Kept(long from, long to) {}
}
