package dev.cloche.process.registry;

import dev.cloche.process.Grant;
import dev.cloche.process.GrantedProcess;
import dev.cloche.process.HandleDescriptor;
import dev.cloche.process.ProcessException;
import dev.cloche.process.SessionDeletion;
import dev.cloche.process.SessionScope;
import dev.cloche.process.rules.GrantRules;
import dev.cloche.process.store.CodePoints;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.value.NameRules;
import dev.cloche.process.value.PageLimits;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Grants, revokes and lists the handles of sessions. Safe for use from many threads. */
final class StoredGrants {
    private final ProcessStore store;

    StoredGrants(ProcessStore store) {
        this.store = store;
    }

    void grant(SessionScope scope, String id, HandleDescriptor descriptor) {
        store.write(transaction -> {
            ProcessHead process = RequiredRows.lock(transaction, id);
            transaction.putGrant(process, new Grant(scope, id, descriptor));
            return process;
        });
    }

    void revoke(SessionScope scope, String id) {
        store.write(transaction -> {
            ProcessHead process = RequiredRows.lock(transaction, id);
            transaction.deleteGrant(process, scope);
            return process;
        });
    }

    boolean has(SessionScope scope, String id) {
        return store.read(
                reads -> reads.grant(scope, RequiredRows.head(reads, id)).isPresent());
    }

    List<GrantedProcess> list(SessionScope scope, boolean runningOnly, Optional<String> after, int limit) {
        PageLimits.require(limit);
        return store.read(reads -> reads.grants(scope, runningOnly, after, limit));
    }

    List<Grant> of(String id) {
        return store.read(reads -> reads.grantsOf(RequiredRows.head(reads, id)));
    }

    void transfer(SessionScope from, SessionScope to, Collection<String> ids) {
        // In one order everywhere, so that no two transfers wait for each other in a circle.
        TreeSet<String> ordered = new TreeSet<>(CodePoints.ORDER);
        ordered.addAll(ids);
        store.write(transaction -> {
            for (String id : ordered) {
                ProcessHead process = RequiredRows.lock(transaction, id);
                Grant moved =
                        transaction.grant(from, process).orElseThrow(() -> new ProcessException.NotGranted(from, id));
                transaction.deleteGrant(process, from);
                transaction.putGrant(process, new Grant(to, id, moved.descriptor()));
            }
            return ordered;
        });
    }

    SessionDeletion deleteSession(String session) {
        NameRules.require("a session id", session);
        return store.write(transaction -> {
            List<Grant> removed = transaction.deleteGrantsOfSession(session);
            int wakes = transaction.deleteWakesOfSession(session);
            TreeSet<String> ids = new TreeSet<>(CodePoints.ORDER);
            removed.forEach(grant -> ids.add(grant.processId()));
            return GrantRules.afterDeletion(session, removed, wakes, transaction.heads(ids), transaction.granted(ids));
        });
    }
}
