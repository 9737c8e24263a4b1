package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.RestartPolicy;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one sandbox for a {@link SandboxSupervisor}, on a thread of its own: waits for its owner to let go or die, owns
 * it up to its end, starts it again. Ends when none of that is left to do.
 */
final class KeptSandboxLoop {
    private static final Duration ADOPT_LIMIT = Duration.ofSeconds(30);
    /** Between two attempts to adopt one that does not answer. */
    private static final Duration SILENCE = Duration.ofSeconds(30);
    /** Between two attempts to adopt one whose VM another process still has. */
    private static final Duration MOMENT = Duration.ofSeconds(1);
    /** Is for a process that has just settled a sandbox, to let go of it. */
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(10);

    private final SandboxContext context;
    private final SandboxTerminator terminator;
    private final OwnerSuspension suspension;
    private final long id;
    private final String name;
    private final Predicate<KeptSandboxLoop> leave;
    private final Thread thread;
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final Semaphore news = new Semaphore(0);
    private volatile @Nullable KeptSandbox kept;
    private volatile boolean lookAgain;

    /** @param leave asked when nothing is left to do; false to look again */
    KeptSandboxLoop(
            SandboxContext context,
            SandboxTerminator terminator,
            OwnerSuspension suspension,
            SandboxRecord record,
            Predicate<KeptSandboxLoop> leave) {
        this.context = context;
        this.terminator = terminator;
        this.suspension = suspension;
        this.id = record.id();
        this.name = record.name();
        this.leave = leave;
        thread = Thread.ofVirtual().name("sandbox-" + name).unstarted(this::run);
    }

    /** Begins with what this process owns already; before {@link #start}. */
    KeptSandboxLoop with(KeptSandbox owned) {
        kept = owned;
        return this;
    }

    /** Says whether a sandbox is one for keepers: it runs detached, or its restart policy wants it to run again. */
    static boolean isWanted(SandboxRecord record) {
        Optional<RunRecord> run = record.latestRun();
        if (record.status().terminal()) {
            return run.flatMap(RunRecord::termination)
                    .filter(termination -> record.policies().restart().wants(termination, record.restarts()))
                    .isPresent();
        }
        return record.status().active() && run.filter(RunRecord::detached).isPresent();
    }

    /** Returns the id of the sandbox's row. */
    long id() {
        return id;
    }

    /** Returns the VM of the owned sandbox; empty as long as another process owns it. */
    Optional<Vm> vm() {
        return Optional.ofNullable(kept).map(KeptSandbox::vm);
    }

    void start() {
        thread.start();
    }

    /** Tells the loop that something has happened to the sandbox. */
    void lookAgain() {
        lookAgain = true;
        news.release();
    }

    boolean isToLookAgain() {
        return lookAgain;
    }

    /** Lets go of it; it runs on. */
    void cancel() {
        cancelled.countDown();
        thread.interrupt();
        KeptSandbox owned = kept;
        if (owned != null) {
            owned.close();
        }
    }

    void join(Duration limit) throws InterruptedException {
        thread.join(limit);
    }

    private boolean isCancelled() {
        return cancelled.getCount() == 0;
    }

    private void run() {
        do {
            try {
                tend();
            } catch (InterruptedException closing) {
                // Its keeper closes, or begins anew.
            } catch (ClocheException | IllegalStateException failed) {
                if (!isCancelled()) {
                    warn("sandbox " + name + " cannot be kept", failed);
                }
            }
        } while (!leave.test(this) && !isCancelled());
    }

    private void tend() throws InterruptedException {
        boolean more = true;
        while (more && !isCancelled()) {
            KeptSandbox owned = kept;
            if (owned != null) {
                own(owned);
            } else {
                more = takeInHand();
            }
        }
    }

    private void own(KeptSandbox owned) {
        try (owned) {
            owned.awaitEnd();
        } finally {
            kept = null;
        }
    }

    /** @return whether there is more to do at once */
    private boolean takeInHand() throws InterruptedException {
        lookAgain = false;
        Optional<SandboxRecord> now = context.store().byId(id).filter(KeptSandboxLoop::isWanted);
        if (now.isEmpty()) {
            return false;
        }
        return now.get().status().terminal() ? startAgain(now.get()) : takeOver(now.get());
    }

    /** Waits in the kernel until its owner lets go of it or dies. */
    private boolean takeOver(SandboxRecord record) throws InterruptedException {
        if (!(context.locks().claim(record, Deadline.none()) instanceof Claim.Taken(OwnerLock lock, var found))) {
            return false;
        }
        Optional<SandboxRecord> now = settled(lock, found);
        if (now.filter(SandboxRecord::isLive).isPresent() && !isCancelled()) {
            return adopt(lock, now.get());
        }
        lock.close();
        // It may have ended without a process to see it, and want to be started again.
        return now.filter(ended -> ended.status().terminal()).isPresent();
    }

    private Optional<SandboxRecord> settled(OwnerLock lock, SandboxRecord found) {
        try {
            terminator.endAbandonedStart(found);
            return terminator.settle(lock, found).filter(KeptSandboxLoop::isWanted);
        } catch (Throwable failure) {
            lock.close();
            throw failure;
        }
    }

    /**
     * Adopts a sandbox. One that does not answer may be a stopped QEMU, or on a host that is far too busy; it is not
     * ended for that.
     */
    private boolean adopt(OwnerLock lock, SandboxRecord record) throws InterruptedException {
        Optional<Duration> again = Optional.empty();
        RunRecord run = record.latestRun().orElseThrow();
        try {
            Vm vm = context.vms().adopt(run.vm(), Deadline.after(ADOPT_LIMIT));
            if (context.store().adopt(id, run.id(), ProcessIdentity.current())) {
                hold(new KeptSandbox(context, terminator, suspension, record, vm, lock));
                return true;
            }
            vm.close();
        } catch (GuestException.ProtocolBroken nonsense) {
            terminator.endDeaf(record, SandboxTerminator.ENDABLE, nonsense);
        } catch (VmException.Busy anothers) {
            // A process that was killed may still have the VM, when the sandbox is free already.
            again = Optional.of(MOMENT);
        } catch (GuestException.ConnectionLost over) {
            // Its end is about to be seen.
        } catch (VmException failed) {
            if (!isCancelled()) {
                again = Optional.of(SILENCE);
                warn("sandbox " + name + " cannot be adopted, and is tried again", failed);
            }
        }
        Optional<SandboxRecord> now = terminator.settle(lock, record);
        lock.close();
        boolean ended = now.filter(found -> found.status().terminal()).isPresent();
        return ended || (again.isPresent() && now.isPresent() && awaitNews(again.get()));
    }

    /** @return true, when something has happened to the sandbox or it is time to look by itself */
    private boolean awaitNews(Duration longest) throws InterruptedException {
        boolean _ = news.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS);
        return true;
    }

    /** Either the thread that cancels sees it, or this sees that it is cancelled. */
    private void hold(KeptSandbox owned) {
        kept = owned;
        if (isCancelled()) {
            owned.close();
        }
    }

    private boolean startAgain(SandboxRecord ended) throws InterruptedException {
        RunRecord run = ended.latestRun().orElseThrow();
        Instant over = run.terminatedAt().orElseThrow();
        boolean settled = run.readyAt()
                .filter(ready -> Duration.between(ready, over).compareTo(RestartPolicy.SETTLED) >= 0)
                .isPresent();
        int restarts = settled ? 0 : ended.restarts();
        if (cancelled.await(left(over, RestartPolicy.pause(restarts)).toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        if (!(context.locks().claim(ended, Deadline.after(RELEASE_LIMIT))
                instanceof Claim.Taken(OwnerLock lock, var now))) {
            return false;
        }
        Optional<MainCommand> main = context.store().mainCommand(id);
        if (isCancelled()
                || main.isEmpty()
                || now.ephemeral()
                || !isLatest(run, now)
                || !now.status().terminal()
                || !isWanted(now)) {
            try (lock) {
                terminator.cleanUnder(lock, id);
            }
            return false;
        }
        StartPlan plan = StartPlan.again(
                now,
                main.get(),
                context.store().network(id),
                StartPlan.admission(context.store().details(now).labels(), Duration.ZERO));
        SandboxStart.Started started = new SandboxStart(context, terminator, plan, PullListener.none(), Deadline.none())
                .again(now, lock, restarts + 1);
        hold(new KeptSandbox(context, terminator, suspension, started.record(), started.vm(), started.lock()));
        return true;
    }

    /** A clock that was set back makes this no longer than the pause itself. */
    private Duration left(Instant over, Duration pause) {
        Duration left = pause.minus(Duration.between(over, context.clock().instant()));
        return left.compareTo(pause) < 0 ? left : pause;
    }

    private static boolean isLatest(RunRecord run, SandboxRecord record) {
        return record.latestRun().filter(now -> now.id() == run.id()).isPresent();
    }

    private static void warn(String what, Exception failure) {
        System.getLogger(KeptSandboxLoop.class.getName()).log(System.Logger.Level.WARNING, what, failure);
    }
}
