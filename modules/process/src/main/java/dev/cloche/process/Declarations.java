package dev.cloche.process;

import dev.cloche.base.Deadline;
import java.util.LinkedHashMap;
import java.util.Map;

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

    /** What a process declares or declared a moment ago. */
    Registrations.Prepared of(String id) {
        return of(id, Deadline.none());
    }

    Registrations.Prepared of(String id, Deadline deadline) {
        synchronized (recent) {
            Registrations.Prepared known = recent.get(id);
            if (known != null) {
                return known;
            }
        }
        return store.read(reads -> of(Rows.record(reads, id)), deadline);
    }

    Registrations.Prepared of(ProcessRecord record) {
        Registrations.Prepared prepared = new Registrations.Prepared(record.registration(), record.hash());
        synchronized (recent) {
            recent.put(record.id(), prepared);
        }
        return prepared;
    }
}
