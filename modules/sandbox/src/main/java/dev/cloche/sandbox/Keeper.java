package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.SandboxLocks.Claim;
import dev.cloche.vm.GuestConnectionLostException;
import dev.cloche.vm.GuestProtocolException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmBusyException;
import dev.cloche.vm.VmDeadlineException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Owns the detached sandboxes that no other process owns, for a runtime that is there to stay: sees their ends, acts on their
 * idle timeouts, and starts them again where their policy says so. What begins later is learnt from the events.
 *
 * <p>A sandbox has one owner, because its lock has one holder; the others use it through client ports.
 */
final class Keeper implements AutoCloseable {
    private static final Duration ADOPT_LIMIT = Duration.ofSeconds(30);
    /** For who has just started or settled a sandbox to let go of it. */
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(10);

    private static final Set<SandboxEvent.Kind> WORTH_A_LOOK = EnumSet.of(
            SandboxEvent.Kind.RUNNING,
            SandboxEvent.Kind.DETACHED,
            SandboxEvent.Kind.STOPPED,
            SandboxEvent.Kind.CRASHED);

    private final Foundations ground;
    private final SandboxEnds ends;
    private final SandboxEvents events;
    private final Set<KeptSandbox> kept = ConcurrentHashMap.newKeySet();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Keeper(Foundations ground, SandboxEnds ends, SandboxEvents events) {
        this.ground = ground;
        this.ends = ends;
        this.events = events;
    }

    /** Takes over what there is, and what will be, on threads of its own. */
    void start() {
        SandboxEvents.Stream stream = events.from(Optional.empty());
        spawn("sandbox-keeper", () -> {
            try (stream) {
                ground.store().unkept().forEach(this::consider);
                while (!closed) {
                    SandboxEvent event = stream.next();
                    if (WORTH_A_LOOK.contains(event.kind())) {
                        ground.store().byId(event.sandboxId()).ifPresent(this::consider);
                    }
                }
            }
        });
    }

    private void consider(SandboxRecord record) {
        boolean known = kept.stream().anyMatch(sandbox -> sandbox.id() == record.id());
        if (!closed && isOurs(record) && !(known && record.status().active())) {
            spawn("sandbox-adopt-" + record.name(), () -> take(record));
        }
    }

    private static boolean isOurs(SandboxRecord record) {
        Optional<RunRecord> run = record.latestRun();
        if (record.status().terminal()) {
            return run.flatMap(RunRecord::ending)
                    .filter(ending -> record.policies().restart().wants(ending, record.restarts()))
                    .isPresent();
        }
        return record.status().active() && run.filter(RunRecord::detached).isPresent();
    }

    /** Adopts a sandbox that runs, or starts again what has ended and wants it. */
    private void take(SandboxRecord record) throws InterruptedException {
        if (record.status().terminal()) {
            restart(record);
            return;
        }
        Claim claim = ground.locks().claim(record, Deadline.after(RELEASE_LIMIT));
        if (claim instanceof Claim.Taken(OwnerLock lock, SandboxRecord found)) {
            Optional<SandboxRecord> now = ends.settle(lock, found);
            if (now.filter(SandboxRecord::isLive).isEmpty() || closed) {
                lock.close();
                // It may have ended without anybody to see it, and want to be started again.
                now.filter(ended -> ended.status().terminal()).ifPresent(this::consider);
                return;
            }
            adopt(lock, now.get());
        }
    }

    private void adopt(OwnerLock lock, SandboxRecord record) {
        RunRecord run = record.latestRun().orElseThrow();
        try {
            Vm vm = ground.vms().adopt(run.vm(), Deadline.after(ADOPT_LIMIT));
            if (ground.store().adopt(record.id(), run.id(), ProcessIdentity.current())) {
                keep(record, vm, lock);
                return;
            }
            vm.close();
        } catch (VmDeadlineException | GuestProtocolException deaf) {
            endDeaf(record, deaf);
        } catch (VmBusyException | GuestConnectionLostException anothersOrOver) {
            // Another handle has it, or its end is about to be seen.
        } catch (VmException failed) {
            log("sandbox " + record.name() + " cannot be adopted", failed);
        }
        ends.settle(lock, record);
        lock.close();
    }

    /** A guest that does not answer its owner in half a minute does not answer anybody. */
    private void endDeaf(SandboxRecord record, VmException deaf) {
        log("the guest of sandbox " + record.name() + " does not answer, and is ended", deaf);
        ground.store().ask(record.id(), TerminationReason.AGENT_UNRESPONSIVE, SandboxEnds.ENDABLE);
        try {
            ground.vms().kill(SandboxEnds.vmOf(record), Deadline.after(ADOPT_LIMIT));
        } catch (VmException endedMeanwhile) {
            deaf.addSuppressed(endedMeanwhile);
        }
    }

    /** Owns a detached sandbox from now on. */
    void keep(SandboxRecord record, Vm vm, OwnerLock lock) {
        KeptSandbox sandbox = new KeptSandbox(ground, ends, record, vm, lock);
        kept.add(sandbox);
        if (closed) {
            sandbox.close();
            kept.remove(sandbox);
            return;
        }
        spawn("sandbox-" + record.name(), () -> {
            try (sandbox) {
                sandbox.awaitEnd();
            } finally {
                kept.remove(sandbox);
            }
            ground.store().byId(record.id()).ifPresent(this::consider);
        });
    }

    /** The VM of a sandbox that this keeps. */
    Optional<Vm> vmOf(long id) {
        return kept.stream()
                .filter(sandbox -> sandbox.id() == id)
                .map(KeptSandbox::vm)
                .findAny();
    }

    private void restart(SandboxRecord ended) throws InterruptedException {
        RunRecord run = ended.latestRun().orElseThrow();
        Instant over = run.terminatedAt().orElseThrow();
        boolean settled = run.readyAt()
                .filter(ready -> Duration.between(ready, over).compareTo(RestartPolicy.SETTLED) >= 0)
                .isPresent();
        int restarts = settled ? 0 : ended.restarts();
        Duration left = RestartPolicy.pause(restarts)
                .minus(Duration.between(over, ground.clock().instant()));
        if (left.isPositive()) {
            // A clock that was set back makes this no longer than the pause itself.
            Thread.sleep(left.compareTo(RestartPolicy.pause(restarts)) < 0 ? left : RestartPolicy.pause(restarts));
        }
        Claim claim = ground.locks().claim(ended, Deadline.after(RELEASE_LIMIT));
        if (claim instanceof Claim.Taken(OwnerLock lock, SandboxRecord now)) {
            Optional<MainCommand> main = ground.store().mainCommand(now.id());
            if (closed
                    || main.isEmpty()
                    || now.ephemeral()
                    || !sameRun(now, run)
                    || !now.status().terminal()
                    || !isOurs(now)) {
                lock.close();
                return;
            }
            VmId before = run.vm();
            SandboxStart.Started started = new SandboxStart(
                            ground,
                            ends,
                            StartPlan.again(now, main.get(), ground.store().network(now.id())),
                            PullListener.none(),
                            Deadline.none())
                    .again(now, lock, restarts + 1);
            System.getLogger(Keeper.class.getName())
                    .log(System.Logger.Level.DEBUG, "started sandbox " + now.name() + " again after VM " + before);
            keep(started.record(), started.vm(), started.lock());
        }
    }

    private static boolean sameRun(SandboxRecord record, RunRecord run) {
        return record.latestRun().filter(now -> now.id() == run.id()).isPresent();
    }

    /** What a thread of this does. */
    private interface Work {
        void run() throws InterruptedException;
    }

    private void spawn(String name, Work work) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                work.run();
            } catch (InterruptedException over) {
                // This runtime closes.
            } catch (ClocheException | IllegalStateException failed) {
                if (!closed) {
                    log(name + " failed", failed);
                }
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        threads.add(thread);
        thread.start();
    }

    private static void log(String what, Exception failure) {
        System.getLogger(Keeper.class.getName()).log(System.Logger.Level.WARNING, what, failure);
    }

    /** Lets go of all: they run on. */
    @Override
    public void close() {
        closed = true;
        threads.forEach(Thread::interrupt);
        kept.forEach(KeptSandbox::close);
        for (Thread thread : threads) {
            try {
                thread.join(RELEASE_LIMIT);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
