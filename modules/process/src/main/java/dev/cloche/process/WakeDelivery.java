package dev.cloche.process;

/**
 * Describes a wake that is to be delivered at least once. It is in the outbox from the moment when its event is committed,
 * until it is acknowledged.
 *
 * @param wakeId SHA-256 of target and dedupe key, by which a receiver knows a wake that it had already
 * @param input what the woken one gets
 */
public record WakeDelivery(
        String wakeId,
        SessionScope target,
        String processId,
        long sequence,
        String eventType,
        Json input,
        String dedupeKey) {}
