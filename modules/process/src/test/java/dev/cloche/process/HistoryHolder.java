package dev.cloche.process;

import dev.cloche.process.store.StoreTime;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * What the owners of leases do with them in a {@link HistorySimulator}: append, renew, end, give back, at once or after a
 * pause, and fail, with leases that they have or had.
 */
final class HistoryHolder {
    private final SplittableRandom random;
    private final SimulatedClock clock;
    private final ProcessRegistry registry;
    private final HistoryCalls calls;
    private int numbers = 1_000_000;

    HistoryHolder(SplittableRandom random, SimulatedClock clock, ProcessRegistry registry, HistoryCalls calls) {
        this.random = random;
        this.clock = clock;
        this.registry = registry;
        this.calls = calls;
    }

    static AwaitOutput output(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> ContractFixture.success(random.nextInt(3));
            case 1 -> ContractFixture.failure("x");
            default -> ContractFixture.cancelled();
        };
    }

    void step(Lease lease, HistoryLedger ledger) {
        StoreTime now = clock.now();
        try {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> append(lease, ledger, now);
                case 3, 4, 5 -> renew(lease, ledger, now);
                case 6, 7 -> release(lease, ledger);
                case 8, 9 -> pause(lease, ledger, now);
                case 10 -> fail(lease, ledger, now);
                default -> end(lease, ledger, now);
            }
        } catch (ProcessException.LeaseLost e) {
            ledger.lost(lease, now);
        }
    }

    private void append(Lease lease, HistoryLedger ledger, StoreTime now) {
        int number = numbers++;
        calls.attempt(
                lease + " appends",
                () -> registry.append(lease, ContractFixture.note(number)),
                appended -> {
                    ledger.accepted(lease, now);
                    ledger.appended(appended);
                },
                () -> {});
    }

    private void renew(Lease lease, HistoryLedger ledger, StoreTime now) {
        long ttl = 1L + random.nextInt(3_000);
        calls.attempt(
                lease + " renews for " + ttl,
                () -> registry.renew(lease, Duration.ofMillis(ttl)),
                _ -> ledger.renewed(lease, ttl, now),
                () -> ledger.perhapsRenewed(lease, ttl, now));
    }

    private void release(Lease lease, HistoryLedger ledger) {
        calls.attempt(
                lease + " is released",
                () -> {
                    registry.release(lease);
                    return lease;
                },
                ledger::released,
                () -> ledger.perhapsReleased(lease));
    }

    private void pause(Lease lease, HistoryLedger ledger, StoreTime now) {
        Duration first = Duration.ofMillis(1L + random.nextInt(2_000));
        Backoff pauses = new Backoff(first, first.multipliedBy(1L + random.nextInt(4)));
        calls.attempt(
                lease + " is given back for " + pauses,
                () -> {
                    registry.release(lease, pauses, "later");
                    return lease;
                },
                _ -> ledger.paused(lease, pauses, now),
                () -> ledger.perhapsPaused(lease, pauses, now));
    }

    private void fail(Lease lease, HistoryLedger ledger, StoreTime now) {
        AwaitOutput.Failure failure =
                new AwaitOutput.Failure(FailureClass.EXECUTION, "x", "it broke", Optional.empty());
        calls.attempt(
                lease + " fails",
                () -> registry.attemptFailed(lease, failure),
                again -> {
                    if (again) {
                        ledger.triedAgain(lease, now);
                    } else {
                        ledger.ended(failure);
                        ledger.released(lease);
                    }
                },
                () -> ledger.perhapsTriedAgain(lease, now));
    }

    private void end(Lease lease, HistoryLedger ledger, StoreTime now) {
        AwaitOutput output = output(random);
        calls.attempt(
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
