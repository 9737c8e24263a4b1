package dev.cloche.process.rules;

import dev.cloche.process.AbandonReason;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decides about appends: plain functions, in the order that the registry promises. */
public final class AppendRules {
    private AppendRules() {}

    /**
     * Says what is known of an append without its process's row. It is found out before the transaction, so that no
     * other writer waits for a slow schema.
     *
     * @param failure what is wrong with it, unless it turns out to be a replay
     */
    public record Examined(String payloadHash, Optional<ProcessException> failure, EventSemantics.Effects effects) {}

    /** Says what is to be written: an event and what it causes. */
    public record Write(ProcessEvent event, Optional<AwaitOutput> output, Optional<WakeDelivery> wake) {}

    public static Examined examine(ProcessRegistration registration, EventAppend append) {
        String hash = JsonDigests.sha256(Json.array(List.of(Json.of(append.type()), append.payload())));
        try {
            return new Examined(hash, Optional.empty(), effects(registration, append));
        } catch (ProcessException e) {
            return new Examined(hash, Optional.of(e), EventSemantics.Effects.NONE);
        }
    }

    private static EventSemantics.Effects effects(ProcessRegistration registration, EventAppend append) {
        EventType type = registration.eventTypes().stream()
                .filter(each -> each.name().equals(append.type()))
                .findFirst()
                .orElseThrow(() -> new ProcessException.UndeclaredType(registration.id(), append.type()));
        boolean once = type.terminal().isPresent() || type.name().equals(EventType.CANCEL_REQUESTED);
        if (once && append.replayKey().isEmpty()) {
            throw new ProcessException.ReplayKeyRequired(type.name());
        }
        type.schema().ifPresent(schema -> InstalledSchemas.check(type.name(), schema, append.payload()));
        return EventSemantics.of(type, append.payload());
    }

    /** Refuses an event which was found by the replay key and is not the one that was to be appended. */
    public static void requireSame(ProcessEvent found, Examined given) {
        if (!found.payloadHash().equals(given.payloadHash())) {
            throw new ProcessException.ReplayConflict(
                    found.processId(), found.replayKey().orElse(""));
        }
    }

    /**
     * Decides on an append that is no replay.
     *
     * @param leaseHeld whether its author holds the lease of the process
     */
    public static Write decide(
            ProcessHead process, EventAppend append, Examined examined, boolean leaseHeld, StoreTime now) {
        examined.failure().ifPresent(failure -> {
            throw failure;
        });
        Optional<AwaitOutput> output = examined.effects().output();
        if (output.isPresent()) {
            if (process.status().terminal()) {
                throw new ProcessException.AlreadyTerminal(process.id(), process.status());
            }
            if (process.leaseRequired() && !leaseHeld) {
                throw new ProcessException.LeaseRequired(process.id());
            }
        }
        ProcessEvent event = event(process, append, examined.payloadHash(), now);
        return new Write(
                event,
                output,
                examined.effects()
                        .wake()
                        .map(wake -> delivery(
                                event,
                                wake,
                                append.wakeTarget()
                                        .orElseThrow(() -> new ProcessException.WakeTargetMissing(append.type())))));
    }

    private static ProcessEvent event(ProcessHead process, EventAppend append, String payloadHash, StoreTime now) {
        return new ProcessEvent(
                process.id(),
                process.lastSequence() + 1,
                append.type(),
                append.payload(),
                payloadHash,
                append.replayKey(),
                append.causedBy(),
                now.wall());
    }

    private static WakeDelivery delivery(ProcessEvent event, EventSemantics.Wake wake, SessionScope target) {
        String dedupeKey = wake.dedupeKey().orElseGet(() -> event.processId() + ":" + event.sequence());
        return new WakeDelivery(
                JsonDigests.sha256(Json.array(List.of(target.json(), Json.of(dedupeKey)))),
                target,
                event.processId(),
                event.sequence(),
                event.type(),
                wake.input(),
                dedupeKey);
    }

    /** Returns the append by which {@link ProcessRegistry#complete} ends a process. */
    public static EventAppend completion(String id, AwaitOutput output) {
        String type = switch (output.status()) {
            case COMPLETED -> EventType.COMPLETED;
            case FAILED -> EventType.FAILED;
            case CANCELLED -> EventType.CANCELLED;
            case ABANDONED, RUNNING ->
                throw new ProcessException.Invalid("only the registry itself abandons a process");
        };
        return ending(id, type, output);
    }

    /** Returns what is written where a process is abandoned: the one event whose type no process declares. */
    public static Write abandonment(ProcessHead process, AbandonReason reason, StoreTime now) {
        AwaitOutput output = new AwaitOutput.Abandoned(
                reason, process.attempts(), process.lease().map(LeaseRow::owner));
        EventAppend append = ending(process.id(), EventType.ABANDONED, output);
        return new Write(registrysOwn(process, append, now).event(), Optional.of(output), Optional.empty());
    }

    /** Returns an event of the registry that changes no status. */
    public static Write registrysOwn(ProcessHead process, EventAppend append, StoreTime now) {
        String hash = JsonDigests.sha256(Json.array(List.of(Json.of(append.type()), append.payload())));
        return new Write(event(process, append, hash, now), Optional.empty(), Optional.empty());
    }

    /** Records that the attempt of a lease failed, which can be said once. */
    public static EventAppend failedAttempt(ProcessHead process, Lease lease, AwaitOutput.Failure failure) {
        Json payload = Json.object(Map.of(
                "attempt", Json.of(process.attempts()), "owner", Json.of(lease.owner()), "failure", failure.json()));
        return EventAppend.of(EventType.ATTEMPT_FAILED, payload)
                .withReplayKey("process:" + process.id() + ":attempt_failed:" + lease.fence());
    }

    private static EventAppend ending(String id, String type, AwaitOutput output) {
        return EventAppend.of(type, Json.object(Map.of("await_output", output.json())))
                .withReplayKey("process:" + id + ":terminal:" + type);
    }

    public static EventAppend cancelRequest(String id, String reason) {
        return EventAppend.of(EventType.CANCEL_REQUESTED, Json.object(Map.of("reason", Json.of(reason))))
                .withReplayKey("process:" + id + ":cancel_requested");
    }
}
