package dev.cloche.process;

import dev.cloche.base.Deadline;
import dev.cloche.process.worker.DriverFailure;
import dev.cloche.process.worker.LeaseRenewer;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Drives processes: claims those that no worker drives, keeps their leases while a {@link ProcessDriver} works on them, and
 * records how they ended. Any number of workers on any number of hosts share the work of one registry; what a dead one
 * leaves is taken over when its leases have run out.
 *
 * <p>A driver whose lease is lost is interrupted at once. The registry refuses what it still writes.
 *
 * <p>Safe for use from many threads.
 */
public final class ProcessWorker implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(ProcessWorker.class.getName());
    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_CONTENTION = Duration.ofMillis(500);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(10);

    private final ProcessRegistry registry;
    private final WorkerConfig config;
    private final ProcessDriver driver;
    private final Semaphore room;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Set<Drive> driving = ConcurrentHashMap.newKeySet();
    private final Thread thread;

    private ProcessWorker(ProcessRegistry registry, WorkerConfig config, ProcessDriver driver) {
        this.registry = registry;
        this.config = config;
        this.driver = driver;
        this.room = new Semaphore(config.concurrency());
        this.thread = Thread.ofVirtual().name("cloche-worker-" + config.owner()).unstarted(this::claimAndDrive);
    }

    /** Begins to work. The registry must stay open until this is closed. */
    public static ProcessWorker start(ProcessRegistry registry, WorkerConfig config, ProcessDriver driver) {
        ProcessWorker worker = new ProcessWorker(registry, config, driver);
        worker.thread.start();
        return worker;
    }

    /** Returns how many processes it drives at the moment. */
    public int busy() {
        return driving.size();
    }

    private void claimAndDrive() {
        Duration pause = Duration.ZERO;
        boolean blind = false;
        while (!rest(pause)) {
            try {
                // Who cannot be told of work can still ask for it.
                boolean offered = blind
                        || registry.awaitClaimable(
                                config.inputTypes(), config.hostProfiles(), Deadline.after(config.safetyNet()));
                blind = false;
                int claimed = claim(acquireRoom());
                // Others were faster, or have it locked: not again at once.
                pause = offered && claimed == 0 ? longer(pause, LONGEST_CONTENTION) : Duration.ZERO;
            } catch (InterruptedException | ProcessException.Interrupted e) {
                stopped.countDown();
            } catch (ProcessException.Closed e) {
                LOGGER.log(Level.WARNING, "the worker {0} ends, for its registry is closed", config.owner());
                stopped.countDown();
            } catch (RuntimeException e) {
                LOGGER.log(Level.WARNING, "no work can be claimed at the moment: {0}", e.getMessage());
                blind = true;
                pause = longer(pause, LONGEST_BACKOFF);
            }
        }
    }

    /** Returns whether this is to end. */
    private boolean rest(Duration pause) {
        try {
            return stopped.await(pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** Waits for one place, and takes all that there are. */
    private int acquireRoom() throws InterruptedException {
        room.acquire();
        return 1 + room.drainPermits();
    }

    private boolean stopping() {
        return stopped.getCount() == 0;
    }

    /** How many were got. */
    private int claim(int places) {
        List<Claim> claims = List.of();
        long asked = System.nanoTime();
        try {
            claims = stopping() ? claims : registry.claimNext(config.request(places));
        } finally {
            room.release(places - claims.size());
        }
        for (Claim claim : claims) {
            new Drive(claim, asked).start();
        }
        return claims.size();
    }

    /** Twice the last, and not at the same moment as everybody else. */
    private static Duration longer(Duration last, Duration longest) {
        long next = Math.clamp(2 * last.toNanos(), FIRST_PAUSE.toNanos(), longest.toNanos());
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(next / 2, next + 1));
    }

    /** One process that is being driven. */
    private final class Drive {
        private final Claim claim;
        private final LeaseRenewer renewer;
        private final Thread thread;

        Drive(Claim claim, long claimedAtNanos) {
            this.claim = claim;
            this.thread = Thread.ofVirtual()
                    .name("cloche-drive-" + claim.process().id())
                    .unstarted(this::run);
            this.renewer = new LeaseRenewer(registry, claim.lease(), config.ttl(), claimedAtNanos, thread::interrupt);
        }

        void start() {
            driving.add(this);
            renewer.start();
            thread.start();
        }

        private void run() {
            try (renewer) {
                Ending ending = drive();
                // What interrupted the driver must not cut short what there is to record.
                var _ = Thread.interrupted();
                if (renewer.held()) {
                    record(ending);
                }
            } catch (RuntimeException e) {
                LOGGER.log(
                        Level.WARNING,
                        "{0} is left to its lease: {1}",
                        claim.process().id(),
                        e.getMessage());
            } finally {
                driving.remove(this);
                room.release();
            }
        }

        private Ending drive() {
            if (stopping()) {
                return new Ending.GivenBack();
            }
            DrivenProcess driven = new DrivenProcess(registry, claim, renewer);
            try {
                return driver.drive(driven)
                        .<Ending>map(Ending.Ended::new)
                        .orElseGet(() -> givenBack(driven, "its driver gave it back"));
            } catch (InterruptedException | ProcessException.Interrupted | ProcessException.LeaseLost e) {
                return givenBack(driven, "its driver was interrupted");
            } catch (ProcessException.StoreFailed e) {
                return givenBack(driven, e.sentence());
            } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
                if (stopping()) {
                    // The failure may come from the interrupt, so it does not count.
                    return new Ending.GivenBack();
                }
                LOGGER.log(Level.WARNING, "the driver of " + claim.process().id() + " failed", e);
                return new Ending.Failed(DriverFailure.of(e));
            }
        }

        /** Of a worker that ends, others can have it at once; from any other it would come back at once. */
        private Ending givenBack(DrivenProcess driven, String why) {
            return stopping() ? new Ending.GivenBack() : new Ending.Later(driven.givenBack(config.returns(), why));
        }

        /** As long as the lease is held; a store that fails is asked again, for each of these calls can be repeated. */
        private void record(Ending ending) {
            Duration pause = Duration.ZERO;
            while (true) {
                try {
                    switch (ending) {
                        case Ending.Ended ended -> registry.completeWithLease(claim.lease(), ended.output());
                        case Ending.GivenBack _ -> registry.release(claim.lease());
                        case Ending.Later later ->
                            registry.release(
                                    claim.lease(),
                                    later.how().pauses(),
                                    later.how().why());
                        case Ending.Failed failed -> registry.attemptFailed(claim.lease(), failed.failure());
                    }
                    return;
                } catch (ProcessException.StoreFailed e) {
                    pause = longer(pause, LONGEST_BACKOFF);
                    if (!heldAfter(pause)) {
                        throw e;
                    }
                }
            }
        }

        /** What interrupts the driver does not end what there is to record. */
        private boolean heldAfter(Duration pause) {
            try {
                return renewer.heldAfter(pause);
            } catch (InterruptedException e) {
                return renewer.held();
            }
        }
    }

    /** Says what a driver came to. */
    private sealed interface Ending {
        record Ended(AwaitOutput output) implements Ending {}

        record GivenBack() implements Ending {}

        record Later(DrivenProcess.Return how) implements Ending {}

        record Failed(AwaitOutput.Failure failure) implements Ending {}
    }

    /**
     * Takes no more work, interrupts all drivers, and gives each process back when its driver has returned, so that other
     * workers can go on at once. Who has not returned in time keeps its lease until that runs out, for it may still be
     * doing something. Closing twice does nothing.
     */
    @Override
    public void close() {
        stopped.countDown();
        thread.interrupt();
        long until = System.nanoTime() + config.stopWithin().toNanos();
        boolean interrupted = !join(thread, until);
        for (Drive drive : driving) {
            drive.thread.interrupt();
        }
        for (Drive drive : driving) {
            interrupted |= !join(drive.thread, until);
        }
        for (Drive drive : driving) {
            drive.renewer.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** False if this thread was interrupted. */
    private static boolean join(Thread other, long untilNanos) {
        try {
            var _ = other.join(Duration.ofNanos(Math.max(1, untilNanos - System.nanoTime())));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }
}
