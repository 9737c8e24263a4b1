package dev.cloche.process;

import java.util.Optional;

/**
 * When and with what an event wakes somebody.
 *
 * @param when if present, the event wakes only if this value is neither null, false, nor an empty string, array or
 *     object; every number counts as true
 * @param input what the woken one gets
 */
public record WakeRule(Optional<Selector> when, Selector input, DedupeKey dedupeKey) {}
