package dev.cloche.process.registry;

import dev.cloche.process.AppendResult;
import dev.cloche.process.Change;
import dev.cloche.process.EventAppend;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessException;
import dev.cloche.process.rules.AppendRules;
import dev.cloche.process.rules.LeaseRules;
import dev.cloche.process.rules.RegistrationRules;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreTransaction;
import java.util.Optional;

/** Appends events. Safe for use from many threads. */
final class EventAppends {
    private final ProcessStore store;
    private final DeclarationCache declarations;

    EventAppends(ProcessStore store, DeclarationCache declarations) {
        this.store = store;
        this.declarations = declarations;
    }

    /** Says what the author of an append has to show for itself, and what becomes of it. */
    enum Authority {
        /** Nothing. */
        ANYBODY,
        /** The lease, which it keeps. */
        HOLDER,
        /** The lease, which it gives back with this. */
        LEAVING_HOLDER
    }

    AppendResult append(String id, EventAppend append) {
        return append(id, append, Authority.ANYBODY, Optional.empty());
    }

    AppendResult append(Lease lease, EventAppend append, Authority authority) {
        return append(lease.processId(), append, authority, Optional.of(lease));
    }

    private AppendResult append(String id, EventAppend append, Authority authority, Optional<Lease> lease) {
        RegistrationRules.Prepared declared = declarations.of(id);
        AppendRules.Examined examined = AppendRules.examine(declared.registration(), append);
        return store.write(id, append.replayKey(), transaction -> {
            ProcessHead process = RequiredRows.lock(transaction, id);
            AppendRules.Examined current = process.hash().equals(declared.hash())
                    ? examined
                    : AppendRules.examine(declarations.of(transaction, process).registration(), append);
            Optional<LeaseRow> held = lease.flatMap(
                    claimed -> process.lease().filter(row -> LeaseRules.isHeldBy(row, claimed, transaction.now())));
            Optional<ProcessEvent> found =
                    append.replayKey().flatMap(key -> transaction.eventOfReplayKey(process, key));
            AppendResult appended;
            if (found.isPresent()) {
                AppendRules.requireSame(found.get(), current);
                appended = new AppendResult(
                        found.get(), transaction.wake(process, found.get().sequence()), true);
            } else {
                if (authority != Authority.ANYBODY && held.isEmpty()) {
                    throw new ProcessException.LeaseLost(lease.orElseThrow());
                }
                AppendRules.Write write =
                        AppendRules.decide(process, append, current, held.isPresent(), transaction.now());
                write(transaction, process, write);
                if (held.isPresent() && process.returns() > 0) {
                    // It has come further.
                    transaction.setPause(process, Optional.empty(), 0, Optional.empty());
                }
                appended = new AppendResult(write.event(), write.wake(), false);
            }
            if (authority == Authority.LEAVING_HOLDER && held.isPresent()) {
                transaction.setLease(process, Optional.empty(), process.fence(), process.attempts());
            }
            return appended;
        });
    }

    /** There is one request per process, so it is looked for before its content is. */
    AppendResult cancel(String id, String reason) {
        EventAppend request = AppendRules.cancelRequest(id, reason);
        String key = request.replayKey().orElseThrow();
        Optional<AppendResult> earlier = store.read(reads -> {
            ProcessHead process = RequiredRows.head(reads, id);
            Optional<AppendResult> found = reads.eventOfReplayKey(process, key)
                    .map(event -> new AppendResult(event, reads.wake(process, event.sequence()), true));
            if (found.isEmpty() && process.status().terminal()) {
                throw new ProcessException.AlreadyTerminal(id, process.status());
            }
            return found;
        });
        if (earlier.isPresent()) {
            return earlier.get();
        }
        try {
            return append(id, request);
        } catch (ProcessException.ReplayConflict raced) {
            return store.read(reads -> {
                ProcessHead process = RequiredRows.head(reads, id);
                ProcessEvent event = reads.eventOfReplayKey(process, key).orElseThrow(() -> raced);
                return new AppendResult(event, reads.wake(process, event.sequence()), true);
            });
        }
    }

    static void write(StoreTransaction transaction, ProcessHead process, AppendRules.Write write) {
        transaction.insertEvent(process, write.event());
        write.output().ifPresent(output -> transaction.end(process, output));
        write.wake().ifPresent(wake -> transaction.insertWake(process, wake));
        transaction.change(Change.of(write.event()));
    }
}
