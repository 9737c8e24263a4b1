package dev.cloche.sandbox;

import java.util.Optional;

/**
 * Tells which of the awaited statuses a sandbox has reached.
 *
 * @param status that was waited for
 * @param termination of the run that has ended, where the status is a terminal one
 */
public record StatusReached(SandboxStatus status, Optional<Termination> termination) {}
