package dev.cloche;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The status that {@link Cloche#await} waited for.
 *
 * @param status that came first
 * @param reason why its latest run ended, where the status is {@code stopped} or {@code crashed}
 * @param exitCode of the main command, where it is known
 * @param exitSignal that ended the main command, or the VM
 */
public record SandboxEnd(String status, Optional<String> reason, OptionalInt exitCode, OptionalInt exitSignal) {}
