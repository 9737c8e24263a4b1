package dev.cloche;

import java.time.Instant;

/**
 * Something that happened to a machine.
 *
 * @param machine its name then
 * @param event for example {@code created}, {@code started}, {@code stopped} or {@code failed}
 * @param detail a new name, a reason, or empty
 */
public record MachineEvent(Instant time, String machine, String event, String detail) {
    static MachineEvent of(dev.cloche.machine.MachineEvent event) {
        return new MachineEvent(event.time(), event.machine(), event.what(), event.detail());
    }
}
