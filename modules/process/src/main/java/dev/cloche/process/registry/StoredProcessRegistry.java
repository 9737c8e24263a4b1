package dev.cloche.process.registry;

import dev.cloche.base.Deadline;
import dev.cloche.process.AppendResult;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Backoff;
import dev.cloche.process.Change;
import dev.cloche.process.ChangePage;
import dev.cloche.process.Claim;
import dev.cloche.process.ClaimRequest;
import dev.cloche.process.Durability;
import dev.cloche.process.EventAppend;
import dev.cloche.process.ExternalRef;
import dev.cloche.process.Grant;
import dev.cloche.process.GrantedProcess;
import dev.cloche.process.HandleDescriptor;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessCount;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessView;
import dev.cloche.process.SessionDeletion;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.WakeEvent;
import dev.cloche.process.rules.AppendRules;
import dev.cloche.process.rules.InstalledSchemas;
import dev.cloche.process.rules.RegistrationRules;
import dev.cloche.process.rules.ViewRules;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.PruneFloor;
import dev.cloche.process.store.StoreTransaction;
import dev.cloche.process.value.PageLimits;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Is the registry over any store. What it decides is in the classes of rules; this is where the calls come in. */
public final class StoredProcessRegistry implements ProcessRegistry {
    private final ProcessStore store;
    private final CommitWaiters waiters = new CommitWaiters();
    private final DeclarationCache declarations;
    private final EventAppends appends;
    private final StoredLeases leases;
    private final StoredGrants grants;
    private final AwaitOperations waits;
    private final Pruning pruning;
    private final ProcessListing listing;

    public StoredProcessRegistry(ProcessStore store, int remembered) {
        this.store = store;
        this.declarations = new DeclarationCache(store);
        this.appends = new EventAppends(store, declarations);
        this.leases = new StoredLeases(store);
        this.grants = new StoredGrants(store);
        this.waits = new AwaitOperations(store, waiters, declarations);
        this.listing = new ProcessListing(store);
        this.pruning = new Pruning(store, remembered);
        store.listen(waiters);
    }

    @Override
    public ProcessRecord register(ProcessRegistration registration) {
        RegistrationRules.Prepared prepared = RegistrationRules.prepare(registration);
        String id = registration.id();
        Optional<ProcessRecord> already = get(id);
        if (already.isPresent()) {
            return RegistrationRules.repeated(already.get(), prepared);
        }
        requireSchemas(prepared);
        return store.write(transaction -> insert(transaction, prepared));
    }

    @Override
    public Claim registerClaimed(ProcessRegistration registration, String owner, Duration ttl) {
        RegistrationRules.Prepared prepared = RegistrationRules.prepare(registration);
        requireSchemas(prepared);
        StoredLeases.Wanted lease = StoredLeases.wanted(owner, ttl);
        return store.write(transaction -> {
            var _ = insert(transaction, prepared);
            Lease claimed = StoredLeases.claim(transaction, registration.id(), lease);
            return new Claim(RequiredRows.record(transaction, registration.id()), claimed);
        });
    }

    private static void requireSchemas(RegistrationRules.Prepared prepared) {
        prepared.registration().eventTypes().forEach(type -> type.schema().ifPresent(InstalledSchemas::require));
    }

    private static ProcessRecord insert(StoreTransaction transaction, RegistrationRules.Prepared prepared) {
        String id = prepared.registration().id();
        PruneFloor behind = transaction
                .tombstone(id)
                .map(stone -> new PruneFloor(stone.fence(), stone.lastSequence()))
                .orElseGet(transaction::floor);
        if (transaction.insertProcess(prepared.registration(), prepared.hash(), behind.fence(), behind.sequence())) {
            transaction.change(Change.of(id, Change.Kind.REGISTERED));
        }
        return RegistrationRules.repeated(RequiredRows.record(transaction, id), prepared);
    }

    @Override
    public Optional<ProcessRecord> get(String id) {
        return store.read(reads -> reads.record(id));
    }

    @Override
    public List<ProcessRecord> list(ProcessQuery query) {
        return listing.views(query).stream().map(ProcessView::process).toList();
    }

    @Override
    public List<ProcessView> views(ProcessQuery query) {
        return listing.views(query);
    }

    @Override
    public List<ProcessCount> counts(ProcessQuery query) {
        return listing.counts(query);
    }

    @Override
    public Optional<ProcessView> view(String id) {
        return store.read(reads -> reads.snapshot(id).map(found -> ViewRules.view(found, reads.now())));
    }

    @Override
    public ProcessRecord setExternalRef(String id, ExternalRef ref) {
        return store.write(transaction -> {
            transaction.setExternalRef(RequiredRows.lock(transaction, id), ref);
            transaction.change(Change.of(id, Change.Kind.EXTERNAL_REF));
            return RequiredRows.record(transaction, id);
        });
    }

    @Override
    public AppendResult complete(String id, AwaitOutput output) {
        return appends.append(id, AppendRules.completion(id, output));
    }

    @Override
    public AppendResult cancel(String id, String reason) {
        return appends.cancel(id, reason);
    }

    @Override
    public AwaitOutput awaitProcess(String id, Deadline deadline) {
        return waits.end(id, deadline);
    }

    @Override
    public ChangePage changes(Optional<String> after, int limit) {
        PageLimits.require(limit);
        return store.read(reads -> reads.changes(after, limit));
    }

    @Override
    public List<String> prune(ProcessPruneRequest request) {
        return pruning.prune(request);
    }

    @Override
    public List<String> prunePlan(ProcessPruneRequest request) {
        return pruning.plan(request);
    }

    @Override
    public Durability durability() {
        return store.durability();
    }

    @Override
    public AppendResult append(String id, EventAppend event) {
        return appends.append(id, event);
    }

    @Override
    public AppendResult append(Lease lease, EventAppend event) {
        return appends.append(lease, event, EventAppends.Authority.HOLDER);
    }

    @Override
    public List<ProcessEvent> eventsAfter(String id, long sequence, int limit) {
        PageLimits.require(limit);
        return store.read(reads -> reads.events(RequiredRows.head(reads, id), sequence, limit));
    }

    @Override
    public List<WakeEvent> wakeEventsAfter(String id, long sequence, int limit) {
        PageLimits.require(limit);
        return store.read(reads -> reads.wakeEvents(RequiredRows.head(reads, id), sequence, limit));
    }

    @Override
    public void ackWake(String id, long sequence) {
        store.write(id, transaction -> {
            ProcessHead process = RequiredRows.lock(transaction, id);
            transaction.ackWake(process, sequence);
            return process;
        });
    }

    @Override
    public List<WakeDelivery> pendingWakes(String session, Optional<WakeDelivery> after, int limit) {
        PageLimits.require(limit);
        return store.read(reads -> reads.pendingWakes(session, after, limit));
    }

    @Override
    public ProcessEvent awaitEventAfter(String id, String type, long sequence, Deadline deadline) {
        return waits.event(id, type, sequence, deadline);
    }

    @Override
    public List<ProcessEvent> awaitEventsAfter(String id, long sequence, int limit, Deadline deadline) {
        return waits.events(id, sequence, limit, deadline);
    }

    @Override
    public Lease claim(String id, String owner, Duration ttl) {
        return leases.claim(id, owner, ttl);
    }

    @Override
    public List<Claim> claimNext(ClaimRequest request) {
        return leases.claimNext(request);
    }

    @Override
    public boolean awaitClaimable(Set<String> inputTypes, Set<String> hostProfiles, Deadline deadline) {
        return waits.claimable(inputTypes, hostProfiles, deadline);
    }

    @Override
    public Lease renew(Lease lease, Duration ttl) {
        return leases.renew(lease, ttl);
    }

    @Override
    public void release(Lease lease) {
        leases.release(lease);
    }

    @Override
    public void release(Lease lease, Backoff pauses, String why) {
        leases.release(lease, pauses, why);
    }

    @Override
    public boolean attemptFailed(Lease lease, AwaitOutput.Failure failure) {
        if (leases.tryAgain(lease, failure)) {
            return true;
        }
        var _ = completeWithLease(lease, failure);
        return false;
    }

    @Override
    public AppendResult completeWithLease(Lease lease, AwaitOutput output) {
        return appends.append(
                lease, AppendRules.completion(lease.processId(), output), EventAppends.Authority.LEAVING_HOLDER);
    }

    @Override
    public void grant(SessionScope scope, String id, HandleDescriptor descriptor) {
        grants.grant(scope, id, descriptor);
    }

    @Override
    public void revoke(SessionScope scope, String id) {
        grants.revoke(scope, id);
    }

    @Override
    public boolean hasGrant(SessionScope scope, String id) {
        return grants.has(scope, id);
    }

    @Override
    public List<GrantedProcess> grants(SessionScope scope, Optional<String> after, int limit) {
        return grants.list(scope, false, after, limit);
    }

    @Override
    public List<GrantedProcess> liveGrants(SessionScope scope, Optional<String> after, int limit) {
        return grants.list(scope, true, after, limit);
    }

    @Override
    public List<Grant> grantsOf(String id) {
        return grants.of(id);
    }

    @Override
    public void transfer(SessionScope from, SessionScope to, Collection<String> ids) {
        grants.transfer(from, to, ids);
    }

    @Override
    public SessionDeletion deleteSession(String session) {
        return grants.deleteSession(session);
    }

    @Override
    public void close() {
        waiters.close();
        store.close();
    }
}
