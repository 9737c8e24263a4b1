package dev.cloche.process;

import dev.cloche.process.store.ProcessStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * One random history of a registry, all in one thread and the same for the same seed: owners that claim, also with the
 * registration, and what {@link HistoryHolder} does with the leases, in time or not; owners that crash and come again; calls
 * whose outcome is lost; clocks that jump; boots; and ids that are pruned and used again. After each step the
 * {@link HistoryLedger} says whether that could be.
 */
public final class HistorySimulator {
    private static final List<String> IDS = List.of("p0", "p1", "p2");

    /** Of p2. */
    static final RecoveryPolicy.Retrying RETRIES =
            new RecoveryPolicy.Retrying(2, new Backoff(Duration.ofMillis(300), Duration.ofMillis(1_000)));

    private static final int OWNERS = 3;
    private static final int INSPECT_EVERY = 8;

    private final SplittableRandom random;
    private final SimulatedClock clock;
    private final boolean boots;
    private final ProcessRegistry registry;
    private final Map<String, HistoryLedger> ledgers = new LinkedHashMap<>();
    private final List<String> owners = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private final HistoryCalls calls = new HistoryCalls();
    private final HistoryHolder holder;
    private Consumer<Optional<Lease>> shows = _ -> {};
    private int names;
    private int numbers;

    /**
     * @param boots whether the store tells boots apart
     */
    public HistorySimulator(long seed, ProcessStore store, SimulatedClock clock, boolean boots) {
        this.random = new SplittableRandom(seed);
        this.clock = clock;
        this.boots = boots;
        this.registry = ProcessRegistry.over(new UnreliableStore(store, random.split(), 0.08), 1);
        IDS.forEach(id -> ledgers.put(id, new HistoryLedger(id)));
        this.holder = new HistoryHolder(random.split(), clock, registry, calls);
        for (int i = 0; i < OWNERS; i++) {
            owners.add("o" + names++);
        }
    }

    /** Says whom to tell of the lease that is shown with the next call. */
    public HistorySimulator showing(Consumer<Optional<Lease>> whom) {
        shows = whom;
        return this;
    }

    /** What went wrong, with the steps that led to it; empty if all is well. */
    public Optional<String> run(int steps) {
        try {
            for (int step = 1; step <= steps; step++) {
                step();
                if (step % INSPECT_EVERY == 0 || step == steps) {
                    ledgers.values().forEach(ledger -> ledger.inspect(registry, clock.now()));
                }
            }
            return Optional.empty();
        } catch (HistoryLedger.Violation e) {
            return Optional.of(e.getMessage() + "\n" + calls.told());
        }
    }

    private void step() {
        String id = IDS.get(random.nextInt(IDS.size()));
        int kind = random.nextInt(100);
        if (kind < 18) {
            claim(id);
        } else if (kind < 24) {
            claimNext();
        } else if (kind < 28) {
            register(id);
        } else if (kind < 31) {
            registerClaimed(id);
        } else if (kind < 34) {
            note(id);
        } else if (kind < 37) {
            prune();
        } else if (kind < 38) {
            end(id);
        } else if (kind < 52) {
            time();
        } else if (kind < 56) {
            owners.set(random.nextInt(OWNERS), "o" + names++);
            calls.tell("an owner crashes and comes again as " + owners);
        } else if (!leases.isEmpty()) {
            // Mostly a late one, and now and then one that should long be forgotten.
            int back = Math.min(leases.size(), random.nextInt(4) == 0 ? leases.size() : 2);
            Lease lease = leases.get(leases.size() - 1 - random.nextInt(back));
            shows.accept(Optional.of(lease));
            holder.step(lease, ledger(lease.processId()));
            shows.accept(Optional.empty());
        }
    }

    private void time() {
        long millis = random.nextInt(2_500);
        switch (random.nextInt(10)) {
            case 0 -> {
                clock.jump((random.nextBoolean() ? 1 : -1)
                        * Duration.ofHours(random.nextInt(100)).toMillis());
                calls.tell("the wall clock jumps");
            }
            case 1 -> {
                if (boots) {
                    clock.boot(random.nextLong(2_000_000_000_000L));
                    calls.tell("boot");
                }
            }
            default -> clock.pass(millis);
        }
        calls.tell("it is " + clock.now());
    }

    private void register(String id) {
        calls.attempt("register " + id, () -> registry.register(registration(id)), _ -> {}, () -> {});
    }

    private static ProcessRegistration registration(String id) {
        return ContractFixture.registration(id)
                .withRecovery(id.equals("p2") ? RETRIES : new RecoveryPolicy.Rerunnable(4))
                .withLeaseRequired(id.equals("p1"));
    }

    private void registerClaimed(String id) {
        claiming(
                id,
                "registers and claims",
                (owner, ttl) ->
                        registry.registerClaimed(registration(id), owner, ttl).lease());
    }

    private void claim(String id) {
        claiming(id, "claims", (owner, ttl) -> registry.claim(id, owner, ttl));
    }

    private interface Claiming {
        Lease run(String owner, Duration ttl);
    }

    private void claiming(String id, String what, Claiming call) {
        String owner = owners.get(random.nextInt(OWNERS));
        long ttl = 1L + random.nextInt(3_000);
        HistoryLedger ledger = ledger(id);
        try {
            calls.attempt(
                    owner + " " + what + " " + id + " for " + ttl,
                    () -> call.run(owner, Duration.ofMillis(ttl)),
                    lease -> {
                        ledger.claimed(lease, ttl, clock.now());
                        leases.add(lease);
                    },
                    () -> ledger.perhapsClaimed(owner, ttl, clock.now()));
        } catch (ProcessException.AlreadyLeased e) {
            ledger.refused(owner, clock.now());
        }
    }

    private void claimNext() {
        String owner = owners.get(random.nextInt(OWNERS));
        long ttl = 1L + random.nextInt(3_000);
        ClaimRequest request =
                new ClaimRequest(owner, Set.of(ProcessInput.TOOL_CALL), 1 + random.nextInt(2), Duration.ofMillis(ttl));
        calls.attempt(
                owner + " claims up to " + request.limit() + " for " + ttl,
                () -> registry.claimNext(request),
                claims -> claims.forEach(claim -> {
                    ledger(claim.process().id()).offered(claim.lease(), ttl, clock.now());
                    leases.add(claim.lease());
                }),
                () -> ledgers.values().forEach(ledger -> ledger.perhapsClaimed(owner, ttl, clock.now())));
    }

    private void note(String id) {
        int number = numbers++;
        calls.attempt(
                "append to " + id,
                () -> registry.append(id, ContractFixture.note(number)),
                ledger(id)::appended,
                () -> {});
    }

    private void end(String id) {
        AwaitOutput output = HistoryHolder.output(random);
        HistoryLedger ledger = ledger(id);
        calls.attempt(
                "end " + id + " with " + output,
                () -> registry.complete(id, output),
                appended -> {
                    ledger.appended(appended);
                    ledger.ended(output);
                },
                () -> {});
    }

    private void prune() {
        ProcessPruneRequest request = ProcessPruneRequest.all().withGranted(true);
        calls.attempt(
                "prune",
                () -> registry.prune(request),
                pruned -> pruned.forEach(id -> ledger(id).pruned()),
                () -> ledgers.values().forEach(HistoryLedger::perhapsPruned));
        // What may have been pruned must be known before the id is used again.
        ledgers.values().forEach(ledger -> ledger.inspect(registry, clock.now()));
    }

    private HistoryLedger ledger(String id) {
        HistoryLedger ledger = ledgers.get(id);
        if (ledger == null) {
            throw new HistoryLedger.Violation("there is no registration of " + id);
        }
        return ledger;
    }
}
