package dev.cloche.process.registry;

import dev.cloche.process.ProcessRecord;
import dev.cloche.process.rules.RegistrationRules;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreReads;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Caches what the processes that are in use declared, so that an append need not read it. A declaration never changes, but
 * its id may be pruned and registered anew: the caller that decides compares the hash. Thread-safe.
 */
final class DeclarationCache {
    private static final int MOST = 1_024;

    private final ProcessStore store;

    private final Map<String, RegistrationRules.Prepared> recent = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RegistrationRules.Prepared> eldest) {
            return size() > MOST;
        }
    };

    DeclarationCache(ProcessStore store) {
        this.store = store;
    }

    /** Returns what a process declares or declared a moment ago; who decides by it compares the hash. */
    RegistrationRules.Prepared of(String id) {
        Optional<RegistrationRules.Prepared> known = known(id);
        return known.isPresent() ? known.get() : store.read(reads -> of(RequiredRows.record(reads, id)));
    }

    /** Returns what a process declares, as of a transaction. */
    RegistrationRules.Prepared of(StoreReads reads, ProcessHead process) {
        return known(process.id())
                .filter(prepared -> prepared.hash().equals(process.hash()))
                .orElseGet(() -> of(RequiredRows.record(reads, process.id())));
    }

    private Optional<RegistrationRules.Prepared> known(String id) {
        synchronized (recent) {
            return Optional.ofNullable(recent.get(id));
        }
    }

    RegistrationRules.Prepared of(ProcessRecord record) {
        RegistrationRules.Prepared prepared = new RegistrationRules.Prepared(record.registration(), record.hash());
        synchronized (recent) {
            recent.put(record.id(), prepared);
        }
        return prepared;
    }
}
