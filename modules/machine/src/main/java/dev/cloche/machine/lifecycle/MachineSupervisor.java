package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.machine.MachineEntry;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Supervises all machines, for a process that stays: sees the end of every machine's VM, and has it recorded, or the
 * machine restarted, as its policy says. It owns no machine and takes no port of one, so any number of supervisors may
 * run: the one that has a machine's lock first does it, and the others find nothing to do.
 *
 * <p>It waits for events only: the end of a guard by its pidfd, and {@link FileSignal}, as every start is in the log of
 * events.
 */
public final class MachineSupervisor implements AutoCloseable {
    /** One that was up for so long does not end right after its start. */
    private static final Duration STEADY = Duration.ofMinutes(1);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final MachineContext context;
    private final Consumer<MachineName> recover;
    private final Map<VmId, PinnedProcess> watched = new ConcurrentHashMap<>();
    private final Map<VmId, Integer> hasty = new ConcurrentHashMap<>();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService pauses = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("machine-pauses").factory());
    private final ReentrantLock lock = new ReentrantLock();
    private boolean closed;

    /** @param recover reconciles a machine with its VM; waits for any other process that works on it */
    public MachineSupervisor(MachineContext context, Consumer<MachineName> recover) {
        this.context = context;
        this.recover = recover;
    }

    /** Looks after what runs and what will be started, on threads of its own. */
    public void start() {
        spawn("machine-keeper", () -> {
            try (FileSignal events = context.store().directories().listen()) {
                while (true) {
                    look();
                    var _ = events.await(Deadline.none());
                }
            }
        });
    }

    private void look() {
        for (MachineEntry entry : context.store().loadAll()) {
            if (entry instanceof MachineEntry.Usable(PersistedMachine machine)
                    && machine.needsRecovery()
                    && !watched.containsKey(machine.vmId())) {
                watch(machine);
            }
        }
    }

    private void watch(PersistedMachine machine) {
        Optional<PinnedProcess> guard = context.vm(machine)
                .filter(vm -> vm.state().live())
                .flatMap(VmInfo::guard)
                .flatMap(PinnedProcess::open);
        if (guard.isPresent()) {
            watched.put(machine.vmId(), guard.get());
            var _ = guard.get().onEnd().thenRun(() -> over(machine, guard.get()));
        } else if (!context.alive(machine) && !context.inWork(machine)) {
            // Ended before this looked. A process that works on one adds an event when it is done.
            spawn("machine-" + machine.name(), () -> recover.accept(machine.name()));
        }
    }

    private void over(PersistedMachine machine, PinnedProcess guard) {
        watched.remove(machine.vmId());
        guard.close();
        long pause = pauseMillis(machine);
        lock.lock();
        try {
            if (!closed) {
                var _ = pauses.schedule(
                        () -> spawn("machine-" + machine.name(), () -> recover.accept(machine.name())),
                        pause,
                        TimeUnit.MILLISECONDS);
            }
        } finally {
            lock.unlock();
        }
    }

    /** None for the first end; for one that ends soon after each start twice as long each time. */
    private long pauseMillis(PersistedMachine machine) {
        boolean steady = context.store().loadAll().stream()
                .filter(entry -> entry instanceof MachineEntry.Usable(PersistedMachine now)
                        && now.vmId().equals(machine.vmId())
                        && now.status().startedAt().filter(this::isLongAgo).isPresent())
                .findAny()
                .isPresent();
        int before = steady ? 0 : hasty.getOrDefault(machine.vmId(), 0);
        hasty.put(machine.vmId(), before + 1);
        return before == 0 ? 0 : Math.min(LONGEST_PAUSE.toMillis(), 1000L << Math.min(before - 1, 16));
    }

    private boolean isLongAgo(Instant started) {
        return started.plus(STEADY).isBefore(context.clock().instant());
    }

    private void spawn(String name, Work work) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(() -> {
            try {
                work.run();
            } catch (InterruptedException closing) {
                // As was to be reached.
            } catch (RuntimeException e) {
                log(name, e);
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        lock.lock();
        try {
            if (!closed) {
                threads.add(thread);
                thread.start();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Something that may be interrupted. */
    private interface Work {
        void run() throws InterruptedException;
    }

    private static void log(String what, Throwable why) {
        System.getLogger(MachineSupervisor.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }

    /** Stops looking; the machines go on. A restart that is under way is interrupted; the next recovery completes it. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        pauses.shutdownNow();
        threads.forEach(Thread::interrupt);
        watched.values().forEach(PinnedProcess::close);
        boolean interrupted = false;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
