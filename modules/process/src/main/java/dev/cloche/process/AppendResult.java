package dev.cloche.process;

import java.util.Optional;

/**
 * Describes the result of an append.
 *
 * @param wake to be delivered by the appender, and in the outbox in case that it cannot
 * @param replayed whether an earlier append of the same replay key was found; nothing has been written then
 */
public record AppendResult(ProcessEvent event, Optional<WakeDelivery> wake, boolean replayed) {}
