package dev.cloche.execution;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Claim;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.ProcessWorker;
import dev.cloche.process.Provenance;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WorkerConfig;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.vm.VmException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Runs commands in sandboxes that outlive the program that started them: each is a process of the registry, of the input
 * type {@link ProcessInput#SANDBOX_EXEC}. The guest runs it and keeps what it writes; the program of this host that drives
 * it brings that to the disk and records the end. If no program does, the command goes on until its output has filled what
 * the guest keeps, and waits. Safe for use from several threads.
 *
 * <p>Besides {@link DurableExecutionException}s, methods throw those of the registry, of sandboxes and VMs as they are.
 */
public final class Executions {
    /** From starting to having recorded it; a worker takes the lease of a starter that is slower, which does no harm. */
    private static final Duration START_LEASE = Duration.ofSeconds(30);

    private static final Duration CANCEL_GRACE = Duration.ofSeconds(10);

    /** Each takes a few threads that wait, and keeps its place for as long as it runs. */
    private static final int AT_ONCE = 256;

    private static final System.Logger LOGGER = System.getLogger(Executions.class.getName());

    private final ProcessRegistry registry;
    private final SandboxManager sandboxes;
    private final OutputDirectories directories;
    private final ExecutionDriver driver;

    /**
     * Does not own what it is given.
     *
     * @param directory where outputs are kept; made if missing
     */
    public Executions(ProcessRegistry registry, SandboxManager sandboxes, Path directory, Clock clock) {
        this.registry = registry;
        this.sandboxes = sandboxes;
        this.directories = new OutputDirectories(directory);
        this.driver = new ExecutionDriver(registry, sandboxes, directories, clock, CANCEL_GRACE);
    }

    /**
     * Records an execution, has it started, and returns when its guest has answered. From the record on it holds the lease,
     * so no worker begins it meanwhile. If this program dies meanwhile, the command is started once or not at all, and the
     * next driver finds out. An interrupt does not cut this short, because the command may run by then: it returns all the
     * same, and keeps the interrupt for its caller.
     *
     * @return its record: running, or ended if it cannot be started. Of a guest that does not answer in time the command is
     *     recorded as running, and its driver finds out
     */
    public ProcessRecord start(ExecutionSpec spec) {
        ProcessInput input = new ProcessInput(ProcessInput.SANDBOX_EXEC, SpecJson.write(spec));
        Provenance provenance = new Provenance(SessionScope.of("cloche"), "local", Optional.empty());
        Claim claim = registry.registerClaimed(
                ProcessRegistration.of(OutputDirectories.newId(), input, provenance)
                        .withEventTypes(ExecutionProgress.STARTING, ExecutionProgress.STARTED, ExecutionProgress.OUTPUT)
                        // A driver that dies loses nothing of it.
                        .withRecovery(new RecoveryPolicy.Rerunnable(Integer.MAX_VALUE))
                        .withLeaseRequired(true),
                owner(),
                START_LEASE);
        Uninterrupted.run(() -> begin(claim));
        return registry.get(claim.process().id()).orElse(claim.process());
    }

    /**
     * Begins a recorded execution. What fails here is for the next driver: the process is recorded, and its caller is
     * to know of it.
     */
    private void begin(Claim claim) {
        try {
            Optional<AwaitOutput> ended = driver.start(claim.process(), claim.lease());
            if (ended.isPresent()) {
                registry.completeWithLease(claim.lease(), ended.get());
            } else {
                registry.release(claim.lease());
            }
        } catch (ProcessException.LeaseLost slow) {
            LOGGER.log(Level.DEBUG, "another driver goes on with the start", slow);
        } catch (ClocheException unanswered) {
            LOGGER.log(Level.WARNING, "the start of " + claim.process().id() + " is left to its driver", unanswered);
            giveBack(claim.lease());
        }
    }

    private void giveBack(Lease lease) {
        try {
            registry.release(lease);
        } catch (ProcessException untilItRunsOut) {
            LOGGER.log(Level.DEBUG, "a lease is left to run out", untilItRunsOut);
        }
    }

    /**
     * Drives executions that have no driver, until it is closed; then others can go on at once.
     *
     * @param lease after which others go on with what this program drove, if it dies
     */
    public ProcessWorker work(Duration lease) {
        WorkerConfig usual =
                WorkerConfig.of(owner(), Set.of(ProcessInput.SANDBOX_EXEC)).withConcurrency(AT_ONCE);
        return ProcessWorker.start(registry, usual.withWindows(lease, usual.safetyNet(), usual.stopWithin()), driver);
    }

    /**
     * Has the guest of a sandbox forget the executions whose end is recorded. Of one that does not run or
     * answer, nothing happens.
     *
     * @param sandbox its name
     */
    public void tidy(String sandbox) {
        try (RunningSandbox running = sandboxes.connect(sandbox, Deadline.after(START_LEASE))) {
            driver.tidy(running);
        } catch (SandboxException | VmException unreachable) {
            // The next driver that can reach it does this.
        }
    }

    /**
     * Returns what an execution wrote, as far as it was driven.
     *
     * @throws DurableExecutionException.OtherProcess if the process is something else
     * @throws DurableExecutionException.Invalid if it was not started by {@link #start}
     * @throws dev.cloche.process.ProcessException.Unknown if there is none of that id
     */
    public ExecutionLog log(String id) {
        // Throws if there is no such process, where get() would say nothing.
        var _ = registry.eventsAfter(id, 0, 1);
        Optional<String> type =
                registry.get(id).map(process -> process.registration().input().type());
        if (!type.equals(Optional.of(ProcessInput.SANDBOX_EXEC))) {
            throw new DurableExecutionException.OtherProcess(id, type.orElse("process that was pruned"));
        }
        return new ExecutionLog(directories.of(id), () -> awaitEnd(id));
    }

    private void awaitEnd(String id) {
        try {
            var _ = registry.awaitProcess(id, Deadline.none());
        } catch (ProcessException.Unknown pruned) {
            // It had ended.
        }
    }

    /**
     * Deletes the outputs of executions that the registry has forgotten, be it just now or before.
     *
     * @throws DurableExecutionException.OutputUnusable if one could not be deleted; all others were
     */
    public void sweep() {
        directories.sweep(id -> registry.get(id).isPresent());
    }

    /** Returns the name of an owner that is this program alone. */
    private static String owner() {
        return "cloche-" + ProcessHandle.current().pid() + "-" + OutputDirectories.newId();
    }
}
