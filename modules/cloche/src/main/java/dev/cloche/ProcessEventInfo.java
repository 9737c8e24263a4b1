package dev.cloche;

import dev.cloche.process.ProcessEvent;
import java.time.Instant;
import java.util.Optional;

/**
 * An event of a process.
 *
 * <pre>{@code
 * cloche.processes().events("build-42", 0).forEach(event -> System.out.println(event.type() + " " + event.payload()));
 * }</pre>
 *
 * @param sequence from 1, or behind those of a pruned process of the same id, without gaps
 * @param payload JSON
 * @param replayKey by which its append can be repeated
 */
public record ProcessEventInfo(long sequence, String type, String payload, Optional<String> replayKey, Instant at) {
    /** How many are read at once. */
    static final int PAGE = 1_000;

    static ProcessEventInfo of(ProcessEvent event) {
        return new ProcessEventInfo(
                event.sequence(), event.type(), event.payload().text(), event.replayKey(), event.at());
    }
}
