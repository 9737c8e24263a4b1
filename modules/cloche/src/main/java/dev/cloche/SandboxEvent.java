package dev.cloche;

import dev.cloche.sandbox.Termination;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Something that happened to a sandbox, whichever process did it.
 *
 * @param id grows with time
 * @param at when
 * @param kind {@code created, starting, running, paused, resumed, detached, adopted, draining, stopped, crashed, renamed} or
 *     {@code removed}
 * @param sandboxId the sandbox's, which no rename changes
 * @param name of the sandbox, as it was then
 * @param image of the sandbox, as it was given
 * @param reason why its run ended
 * @param exitCode of its main command, where it is known
 * @param exitSignal that ended the main command, or the VM
 * @param detail a sentence on an end; the new name of one that was renamed; else empty
 */
public record SandboxEvent(
        long id,
        Instant at,
        String kind,
        long sandboxId,
        String name,
        String image,
        Optional<String> reason,
        OptionalInt exitCode,
        OptionalInt exitSignal,
        String detail) {
    static SandboxEvent of(dev.cloche.sandbox.SandboxEvent event) {
        Optional<Termination> termination = event.termination();
        return new SandboxEvent(
                event.id(),
                event.at(),
                Words.of(event.kind()),
                event.sandboxId(),
                event.name(),
                event.image(),
                termination.map(end -> Words.of(end.reason())),
                termination.map(Termination::exitCode).orElse(OptionalInt.empty()),
                termination.map(Termination::exitSignal).orElse(OptionalInt.empty()),
                termination.map(Termination::detail).orElse(event.detail()));
    }
}
