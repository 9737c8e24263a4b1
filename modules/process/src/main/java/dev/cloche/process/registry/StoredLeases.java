package dev.cloche.process.registry;

import dev.cloche.process.AbandonReason;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Backoff;
import dev.cloche.process.Change;
import dev.cloche.process.Claim;
import dev.cloche.process.ClaimRequest;
import dev.cloche.process.EventAppend;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.rules.AppendRules;
import dev.cloche.process.rules.LeaseRules;
import dev.cloche.process.rules.RecoveryRules;
import dev.cloche.process.store.PauseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreTime;
import dev.cloche.process.store.StoreTransaction;
import dev.cloche.process.value.NameRules;
import dev.cloche.process.value.TextSanitizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Claims, renews and releases leases. Safe for use from many threads. */
final class StoredLeases {
    private static final int LONGEST_REASON = 1_000;

    /** More make no pause longer. */
    private static final int MOST_RETURNS = 1_000;

    private final ProcessStore store;

    StoredLeases(ProcessStore store) {
        this.store = store;
    }

    /** A lease that may be asked for: its owner has a name, and its time is in range. */
    record Wanted(String owner, long ttlMillis) {}

    /** @throws ProcessException.Invalid if it may not */
    static Wanted wanted(String owner, Duration ttl) {
        return new Wanted(NameRules.require("a lease's owner", owner), LeaseRules.requireTtl(ttl));
    }

    Lease claim(String id, String owner, Duration ttl) {
        Wanted lease = wanted(owner, ttl);
        return store.write(id, transaction -> claim(transaction, id, lease));
    }

    /** A claim that is part of a transaction. */
    static Lease claim(StoreTransaction transaction, String id, Wanted lease) {
        ProcessHead process = RequiredRows.lock(transaction, id);
        LeaseRules.Decision decision =
                LeaseRules.claim(process, lease.owner(), SecretTokens.next(), lease.ttlMillis(), transaction.now());
        return record(transaction, process, decision);
    }

    List<Claim> claimNext(ClaimRequest request) {
        // In any order, so that no kind of input is always served first.
        List<String> types = new ArrayList<>(request.inputTypes());
        Collections.shuffle(types);
        return store.write(transaction -> {
            List<Claim> claims = new ArrayList<>();
            for (String type : types) {
                claimOf(type, request, transaction, claims);
            }
            return List.copyOf(claims);
        });
    }

    /** What was offered is leased or has ended afterwards, so each look finds others until there are none. */
    private static void claimOf(String type, ClaimRequest request, StoreTransaction transaction, List<Claim> claims) {
        while (claims.size() < request.limit()) {
            List<ProcessHead> offered =
                    transaction.lockClaimable(type, request.hostProfiles(), request.limit() - claims.size());
            if (offered.isEmpty()) {
                return;
            }
            for (ProcessHead process : offered) {
                Optional<AbandonReason> abandon = RecoveryRules.abandon(process);
                if (abandon.isPresent()) {
                    RecoveryRules.lostOwner(process, transaction.now())
                            .ifPresent(owner -> transaction.setLost(process, owner));
                    EventAppends.write(
                            transaction, process, AppendRules.abandonment(process, abandon.get(), transaction.now()));
                    transaction.setLease(process, Optional.empty(), process.fence(), process.attempts());
                } else {
                    LeaseRules.Decision decision = LeaseRules.claim(
                            process,
                            request.owner(),
                            SecretTokens.next(),
                            request.ttl().toMillis(),
                            transaction.now());
                    Lease lease = record(transaction, process, decision);
                    claims.add(new Claim(RequiredRows.record(transaction, process.id()), lease));
                }
            }
        }
    }

    Lease renew(Lease lease, Duration ttl) {
        long ttlMillis = LeaseRules.requireTtl(ttl);
        return store.write(lease.processId(), transaction -> {
            ProcessHead process = RequiredRows.lock(transaction, lease.processId());
            return record(transaction, process, LeaseRules.renew(process, lease, ttlMillis, transaction.now()));
        });
    }

    void release(Lease lease) {
        store.write(lease.processId(), transaction -> {
            ProcessHead process = RequiredRows.lock(transaction, lease.processId());
            LeaseRules.release(process, lease).ifPresent(decision -> set(transaction, process, decision));
            return process;
        });
    }

    void release(Lease lease, Backoff pauses, String why) {
        store.write(lease.processId(), transaction -> {
            ProcessHead process = RequiredRows.lock(transaction, lease.processId());
            LeaseRules.release(process, lease).ifPresent(decision -> {
                set(transaction, process, decision);
                if (process.status() == ProcessStatus.RUNNING) {
                    int returns = Math.min(process.returns(), MOST_RETURNS) + 1;
                    pause(transaction, process, pauses.pause(returns), returns, why);
                }
            });
            return process;
        });
    }

    /** Records a failed attempt, unless there is no other. */
    boolean tryAgain(Lease lease, AwaitOutput.Failure failure) {
        return store.write(lease.processId(), transaction -> {
            ProcessHead process = RequiredRows.lock(transaction, lease.processId());
            EventAppend append = AppendRules.failedAttempt(process, lease, failure);
            if (append.replayKey()
                    .flatMap(key -> transaction.eventOfReplayKey(process, key))
                    .isPresent()) {
                return true;
            }
            Optional<Duration> pause = process.status() == ProcessStatus.RUNNING
                    ? RecoveryRules.pauseAfterFailure(process)
                    : Optional.empty();
            if (pause.isEmpty()) {
                return false;
            }
            var _ = LeaseRules.held(process, lease, transaction.now());
            EventAppends.write(transaction, process, AppendRules.registrysOwn(process, append, transaction.now()));
            transaction.setLease(process, Optional.empty(), process.fence(), process.attempts());
            pause(transaction, process, pause.get(), process.returns(), failure.message());
            transaction.change(Change.of(process.id(), Change.Kind.RELEASED));
            return true;
        });
    }

    private static void pause(
            StoreTransaction transaction, ProcessHead process, Duration pause, int returns, String why) {
        StoreTime now = transaction.now();
        PauseRow row = new PauseRow(now.epoch(), now.ticksAfter(pause.toMillis()));
        transaction.setPause(process, Optional.of(row), returns, Optional.of(TextSanitizer.line(why, LONGEST_REASON)));
    }

    private static Lease record(StoreTransaction transaction, ProcessHead process, LeaseRules.Decision decision) {
        if (process.status() == ProcessStatus.RUNNING) {
            RecoveryRules.lostOwner(process, transaction.now()).ifPresent(owner -> transaction.setLost(process, owner));
        }
        set(transaction, process, decision);
        return LeaseRules.lease(process, decision.lease().orElseThrow(), transaction.now());
    }

    private static void set(StoreTransaction transaction, ProcessHead process, LeaseRules.Decision decision) {
        transaction.setLease(process, decision.lease(), decision.fence(), decision.attempts());
        if (LeaseRules.endsEarlier(process, decision, transaction.now())) {
            transaction.change(Change.of(process.id(), Change.Kind.RELEASED));
        }
    }
}
