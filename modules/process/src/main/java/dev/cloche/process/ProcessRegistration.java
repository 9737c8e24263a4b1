package dev.cloche.process;

import dev.cloche.process.value.NameRules;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Describes a process as it is registered. Its id is chosen by the caller, who can therefore repeat a registration safely.
 *
 * @param eventTypes in any order; the core types are added to them
 * @param leaseRequired whether only the holder of its lease can end it
 */
public record ProcessRegistration(
        String id,
        ProcessInput input,
        List<EventType> eventTypes,
        Provenance provenance,
        RecoveryPolicy recovery,
        boolean leaseRequired) {
    /** How many types one process can declare. */
    public static final int MOST_TYPES = 256;

    public ProcessRegistration {
        eventTypes = List.copyOf(eventTypes);
        NameRules.require("a process id", id);
        if (eventTypes.size() > MOST_TYPES) {
            throw new ProcessException.Invalid("a process declares at most " + MOST_TYPES + " event types");
        }
        Set<String> names = new HashSet<>();
        for (EventType type : eventTypes) {
            if (!names.add(type.name())) {
                throw new ProcessException.Invalid("the event type \"" + type.name() + "\" is declared twice");
            }
            if (type.name().equals(EventType.ABANDONED)) {
                throw new ProcessException.Invalid("the event type " + EventType.ABANDONED + " is the registry's own");
            }
        }
    }

    /** Returns one that is rerunnable up to three times and needs no lease. */
    public static ProcessRegistration of(String id, ProcessInput input, Provenance provenance) {
        return new ProcessRegistration(id, input, List.of(), provenance, new RecoveryPolicy.Rerunnable(3), false);
    }

    public ProcessRegistration withEventTypes(EventType... types) {
        return new ProcessRegistration(id, input, List.of(types), provenance, recovery, leaseRequired);
    }

    public ProcessRegistration withRecovery(RecoveryPolicy disposition) {
        return new ProcessRegistration(id, input, eventTypes, provenance, disposition, leaseRequired);
    }

    public ProcessRegistration withLeaseRequired(boolean required) {
        return new ProcessRegistration(id, input, eventTypes, provenance, recovery, required);
    }
}
