package dev.cloche.process.registry;

import dev.cloche.process.ProcessRecord;
import dev.cloche.process.rules.Registrations;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreReads;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the processes that are in use declared, so that an append need not read it. A declaration never changes, but its id
 * may be pruned and registered anew: whoever decides compares the hash. Thread-safe.
 */
final class Declarations {
    private static final int MOST = 1_024;

    private final ProcessStore store;

    private final Map<String, Registrations.Prepared> recent = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Registrations.Prepared> eldest) {
            return size() > MOST;
        }
    };

    Declarations(ProcessStore store) {
        this.store = store;
    }

    /** What a process declares or declared a moment ago; who decides by it compares the hash. */
    Registrations.Prepared of(String id) {
        Optional<Registrations.Prepared> known = known(id);
        return known.isPresent() ? known.get() : store.read(reads -> of(Rows.record(reads, id)));
    }

    /** What a process declares, as of a transaction. */
    Registrations.Prepared of(StoreReads reads, ProcessHead process) {
        return known(process.id())
                .filter(prepared -> prepared.hash().equals(process.hash()))
                .orElseGet(() -> of(Rows.record(reads, process.id())));
    }

    private Optional<Registrations.Prepared> known(String id) {
        synchronized (recent) {
            return Optional.ofNullable(recent.get(id));
        }
    }

    Registrations.Prepared of(ProcessRecord record) {
        Registrations.Prepared prepared = new Registrations.Prepared(record.registration(), record.hash());
        synchronized (recent) {
            recent.put(record.id(), prepared);
        }
        return prepared;
    }
}
