package dev.cloche.machine;

import java.time.Instant;

/**
 * Describes something that happened to a machine.
 *
 * @param machine its name then
 * @param what for example {@code started}; docs/machines.md has all
 * @param detail a new name, a reason, or empty
 */
public record MachineEvent(Instant time, String machine, String what, String detail) {}
