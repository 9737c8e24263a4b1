package dev.cloche.process;

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
 * One random history of a registry, all in one thread and the same for the same seed: owners that claim, renew, write, end
 * and release, that pause while their leases run out and go on with old ones, that crash and come again; calls whose
 * outcome nobody learns; clocks that jump; boots; and ids that are pruned and used again. After each step the
 * {@link HistoryLedger} says whether that could be.
 */
public final class HistorySimulator {
    private static final List<String> IDS = List.of("p0", "p1");
    private static final int OWNERS = 3;
    private static final int INSPECT_EVERY = 8;

    private final SplittableRandom random;
    private final SimulatedClock clock;
    private final boolean boots;
    private final ProcessRegistry registry;
    private final Map<String, HistoryLedger> ledgers = new LinkedHashMap<>();
    private final List<String> owners = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
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
        for (int i = 0; i < OWNERS; i++) {
            owners.add("o" + names++);
        }
    }

    /** Says whom to tell of the lease that is shown with the next call. */
    HistorySimulator showing(Consumer<Optional<Lease>> whom) {
        shows = whom;
        return this;
    }

    /** What went wrong, with the steps that led to it; empty if all is well. */
    public Optional<String> run(int steps) {
        try {
            for (int step = 1; step <= steps; step++) {
                step();
                if (step % INSPECT_EVERY == 0 || step == steps) {
                    ledgers.values().forEach(ledger -> ledger.inspect(registry));
                }
            }
            return Optional.empty();
        } catch (HistoryLedger.Violation e) {
            return Optional.of(e.getMessage() + "\n" + String.join("\n", told));
        }
    }

    private void step() {
        String id = IDS.get(random.nextInt(IDS.size()));
        int kind = random.nextInt(100);
        if (kind < 18) {
            claim(id);
        } else if (kind < 24) {
            claimNext();
        } else if (kind < 30) {
            register(id);
        } else if (kind < 33) {
            note(id);
        } else if (kind < 36) {
            prune();
        } else if (kind < 37) {
            end(id);
        } else if (kind < 52) {
            time();
        } else if (kind < 56) {
            owners.set(random.nextInt(OWNERS), "o" + names++);
            told.add("an owner crashes and comes again as " + owners);
        } else if (!leases.isEmpty()) {
            // Mostly a late one, and now and then one that should long be forgotten.
            int back = Math.min(leases.size(), random.nextInt(4) == 0 ? leases.size() : 2);
            withLease(leases.get(leases.size() - 1 - random.nextInt(back)));
        }
    }

    private void time() {
        long millis = random.nextInt(2_500);
        switch (random.nextInt(10)) {
            case 0 -> {
                clock.jump((random.nextBoolean() ? 1 : -1)
                        * Duration.ofHours(random.nextInt(100)).toMillis());
                told.add("the wall clock jumps");
            }
            case 1 -> {
                if (boots) {
                    clock.boot(random.nextLong(2_000_000_000_000L));
                    told.add("boot");
                }
            }
            default -> clock.pass(millis);
        }
        told.add("it is " + clock.now());
    }

    private void register(String id) {
        attempt("register " + id, () -> registry.register(registration(id)), _ -> {}, () -> {});
    }

    private static ProcessRegistration registration(String id) {
        return ContractFixture.registration(id)
                .withRecovery(new Recovery.Rerunnable(4))
                .withLeaseRequired(id.equals("p1"));
    }

    private void claim(String id) {
        String owner = owners.get(random.nextInt(OWNERS));
        long ttl = 1L + random.nextInt(3_000);
        HistoryLedger ledger = ledger(id);
        try {
            attempt(
                    owner + " claims " + id + " for " + ttl,
                    () -> registry.claim(id, owner, Duration.ofMillis(ttl)),
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
        attempt(
                owner + " claims up to " + request.limit() + " for " + ttl,
                () -> registry.claimNext(request),
                claims -> claims.forEach(claim -> {
                    ledger(claim.process().id()).claimed(claim.lease(), ttl, clock.now());
                    leases.add(claim.lease());
                }),
                () -> ledgers.values().forEach(ledger -> ledger.perhapsClaimed(owner, ttl, clock.now())));
    }

    private void note(String id) {
        int number = numbers++;
        attempt(
                "append to " + id,
                () -> registry.append(id, ContractFixture.note(number)),
                ledger(id)::appended,
                () -> {});
    }

    private void end(String id) {
        AwaitOutput output = output();
        HistoryLedger ledger = ledger(id);
        attempt(
                "end " + id + " with " + output,
                () -> registry.complete(id, output),
                appended -> {
                    ledger.appended(appended);
                    ledger.ended(output);
                },
                () -> {});
    }

    private AwaitOutput output() {
        return switch (random.nextInt(3)) {
            case 0 -> ContractFixture.success(random.nextInt(3));
            case 1 -> ContractFixture.failure("x");
            default -> ContractFixture.cancelled();
        };
    }

    private void prune() {
        PruneRequest request = PruneRequest.all().withGranted(true);
        attempt(
                "prune",
                () -> registry.prune(request),
                pruned -> pruned.forEach(id -> ledger(id).pruned()),
                () -> ledgers.values().forEach(HistoryLedger::perhapsPruned));
        // What may have been pruned must be known before the id is used again.
        ledgers.values().forEach(ledger -> ledger.inspect(registry));
    }

    private void withLease(Lease lease) {
        HistoryLedger ledger = ledger(lease.processId());
        StoreTime now = clock.now();
        shows.accept(Optional.of(lease));
        try {
            switch (random.nextInt(9)) {
                case 0, 1, 2 -> {
                    int number = numbers++;
                    attempt(
                            lease + " appends",
                            () -> registry.append(lease, ContractFixture.note(number)),
                            appended -> {
                                ledger.accepted(lease, now);
                                ledger.appended(appended);
                            },
                            () -> {});
                }
                case 3, 4, 5 -> {
                    long ttl = 1L + random.nextInt(3_000);
                    attempt(
                            lease + " renews for " + ttl,
                            () -> registry.renew(lease, Duration.ofMillis(ttl)),
                            _ -> ledger.renewed(lease, ttl, now),
                            () -> ledger.perhapsRenewed(lease, ttl, now));
                }
                case 6, 7 ->
                    attempt(
                            lease + " is released",
                            () -> {
                                registry.release(lease);
                                return lease;
                            },
                            ledger::released,
                            () -> ledger.perhapsReleased(lease));
                default -> {
                    AwaitOutput output = output();
                    attempt(
                            lease + " ends with " + output,
                            () -> registry.completeWithLease(lease, output),
                            appended -> {
                                if (!appended.replayed()) {
                                    ledger.accepted(lease, now);
                                }
                                ledger.appended(appended);
                                ledger.ended(output);
                                ledger.released(lease);
                            },
                            () -> ledger.perhapsReleased(lease));
                }
            }
        } catch (ProcessException.LeaseLost e) {
            ledger.lost(lease, now);
        } finally {
            shows.accept(Optional.empty());
        }
    }

    private HistoryLedger ledger(String id) {
        HistoryLedger ledger = ledgers.get(id);
        if (ledger == null) {
            throw new HistoryLedger.Violation("nobody has registered " + id);
        }
        return ledger;
    }

    private interface Call<T> {
        T run();
    }

    private interface Success<T> {
        void is(T result);
    }

    /** Refusals of the registry that say nothing about leases are as good as nothing done. */
    private <T> void attempt(String what, Call<T> call, Success<T> done, Runnable inDoubt) {
        T result;
        try {
            result = call.run();
        } catch (ProcessException.StoreFailed e) {
            told.add(what + ": in doubt");
            inDoubt.run();
            return;
        } catch (ProcessException.AlreadyLeased | ProcessException.LeaseLost e) {
            told.add(what + ": " + e.getMessage());
            throw e;
        } catch (ProcessException e) {
            told.add(what + ": " + e.getMessage());
            return;
        }
        told.add(what + ": " + result);
        done.is(result);
    }
}
