package dev.cloche.process.rules;

import dev.cloche.process.EventType;
import dev.cloche.process.EventType.TerminalRule;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.Selector;
import dev.cloche.process.store.CodePoints;
import dev.cloche.process.store.RegistrationJson;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Decides about registrations: plain functions. */
public final class RegistrationRules {
    /** The types of events that the registry alone writes. */
    public static final Set<String> REGISTRYS_OWN = Set.of(EventType.ABANDONED, EventType.ATTEMPT_FAILED);

    private RegistrationRules() {}

    /** Has a registration as it is hashed and stored. */
    public record Prepared(ProcessRegistration registration, String hash) {}

    /** Adds the core event types whose names are missing, puts all in the order of their names, and hashes the whole. */
    public static Prepared prepare(ProcessRegistration given) {
        List<EventType> types = new ArrayList<>(given.eventTypes());
        if (types.stream().anyMatch(type -> type.name().equals(EventType.ATTEMPT_FAILED))) {
            throw new ProcessException.Invalid("the event type " + EventType.ATTEMPT_FAILED + " is the registry's own");
        }
        for (EventType core : core()) {
            if (types.stream().noneMatch(type -> type.name().equals(core.name()))) {
                types.add(core);
            }
        }
        types.sort(Comparator.comparing(EventType::name, CodePoints.ORDER));
        ProcessRegistration prepared = new ProcessRegistration(
                given.id(), given.input(), types, given.provenance(), given.recovery(), given.leaseRequired());
        return new Prepared(prepared, JsonDigests.sha256(RegistrationJson.write(prepared)));
    }

    /** Returns what is returned where a process of the id is stored. */
    public static ProcessRecord repeated(ProcessRecord stored, Prepared given) {
        if (!stored.hash().equals(given.hash())) {
            throw new ProcessException.RegistrationConflict(stored.id(), stored.hash(), given.hash());
        }
        return stored;
    }

    /** Returns what every process has, unless it declares one of the name itself. */
    private static List<EventType> core() {
        return List.of(
                EventType.plain(EventType.CANCEL_REQUESTED),
                ending(EventType.COMPLETED, ProcessStatus.COMPLETED),
                ending(EventType.FAILED, ProcessStatus.FAILED),
                ending(EventType.CANCELLED, ProcessStatus.CANCELLED));
    }

    private static EventType ending(String name, ProcessStatus state) {
        TerminalRule rule = new TerminalRule(state, Optional.of(new Selector.Pointer("/await_output")));
        return new EventType(name, Optional.empty(), Optional.of(rule), Optional.empty());
    }
}
