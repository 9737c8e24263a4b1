package dev.cloche;

import dev.cloche.sandbox.StatusReached;
import dev.cloche.sandbox.Termination;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The status that {@link Sandboxes#await} waited for.
 *
 * @param status that came first
 * @param reason why its latest run ended, where the status is {@code stopped} or {@code crashed}
 * @param exitCode of the main command, where it is known
 * @param exitSignal that ended the main command, or the VM
 */
public record SandboxEnd(String status, Optional<String> reason, OptionalInt exitCode, OptionalInt exitSignal) {
    static SandboxEnd of(StatusReached reached) {
        Optional<Termination> termination = reached.termination();
        return new SandboxEnd(
                Words.of(reached.status()),
                termination.map(end -> Words.of(end.reason())),
                termination.map(Termination::exitCode).orElse(OptionalInt.empty()),
                termination.map(Termination::exitSignal).orElse(OptionalInt.empty()));
    }
}
