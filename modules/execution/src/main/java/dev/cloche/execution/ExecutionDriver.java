package dev.cloche.execution;

import dev.cloche.base.Deadline;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.DrivenProcess;
import dev.cloche.process.EventType;
import dev.cloche.process.FailureClass;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessDriver;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.Output;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Drives one execution for the holder of its lease: has it started, unless it was, brings its output to this host's disk,
 * and says how it ended. Wherever this program dies, the next owner goes on.
 */
final class ExecutionDriver implements ProcessDriver {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    /** Of what no event tells: a full disk, another writer of the output, a guest that does not answer. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final int EVENTS = 1000;
    private static final System.Logger LOGGER = System.getLogger(ExecutionDriver.class.getName());

    private final ProcessRegistry registry;
    private final SharedConnections connections;
    private final OutputDirectories directories;
    private final Clock clock;
    private final Duration cancelGrace;
    private final SandboxChanges changes;

    ExecutionDriver(
            ProcessRegistry registry,
            SandboxManager sandboxes,
            OutputDirectories directories,
            Clock clock,
            Duration cancelGrace) {
        this.registry = registry;
        this.connections = new SharedConnections(sandboxes);
        this.directories = directories;
        this.clock = clock;
        this.cancelGrace = cancelGrace;
        this.changes = new SandboxChanges(sandboxes);
    }

    /**
     * Starts it, unless it was started, and returns when the guest has answered.
     *
     * @return how it ended, if it cannot be started
     */
    Optional<AwaitOutput> start(ProcessRecord process, Lease lease) {
        ExecutionSpec spec = SpecJson.read(process.registration().input().payload());
        try (SharedConnections.Use connection = connections.use(spec.sandbox(), Deadline.after(ANSWER_LIMIT))) {
            Found found = found(process, spec, lease, connection, AttachPoint.BEGINNING);
            found.execution().ifPresent(GuestExecution::close);
            return found.failure();
        } catch (SandboxException gone) {
            return Optional.of(ExecutionOutcomes.unavailable(gone));
        }
    }

    /**
     * Goes with it to its end. Where that cannot be found out now it tries again when its sandbox has changed, and now and
     * then, for as long as it has the lease.
     *
     * @throws InterruptedException if this thread is interrupted, because the lease is lost or this program ends; it runs on
     */
    @Override
    public Optional<AwaitOutput> drive(DrivenProcess driven) throws InterruptedException {
        ExecutionSpec spec;
        Path files;
        try {
            files = directories.of(driven.process().id());
            spec = SpecJson.read(driven.process().registration().input().payload());
        } catch (DurableExecutionException.Invalid unreadable) {
            return Optional.of(ExecutionOutcomes.failure(FailureClass.INVALID_REQUEST, unreadable));
        }
        Duration pause = FIRST_PAUSE;
        do {
            try {
                return Optional.of(driveWhenItAnswers(driven, spec, files));
            } catch (DurableExecutionException | VmException later) {
                LOGGER.log(Level.DEBUG, "the execution " + driven.process().id() + " is tried again", later);
                pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        } while (driven.heldAfter(pause));
        return Optional.empty();
    }

    /** Drives a process once its sandbox answers: one that is paused or suspended, or starts, is waited for. */
    private AwaitOutput driveWhenItAnswers(DrivenProcess driven, ExecutionSpec spec, Path files)
            throws InterruptedException {
        try {
            return drive(driven.process(), spec, driven.lease(), files);
        } catch (DurableExecutionException.NotNow notNow) {
            LOGGER.log(Level.DEBUG, notNow.getMessage());
        }
        try (SandboxChanges.Waiter sandbox = changes.of(spec.sandbox())) {
            while (true) {
                try {
                    return drive(driven.process(), spec, driven.lease(), files);
                } catch (DurableExecutionException.NotNow stillNot) {
                    sandbox.await();
                }
            }
        } catch (SandboxException unwatched) {
            throw new DurableExecutionException.NotNow(driven.process().id(), unwatched);
        }
    }

    private AwaitOutput drive(ProcessRecord process, ExecutionSpec spec, Lease lease, Path files)
            throws InterruptedException {
        try (OutputJournal journal = OutputJournal.open(files, OutputJournal.KEPT_BYTES, directories.reserve(), clock)
                        .orElseThrow(() -> new DurableExecutionException.Busy(process.id()));
                SharedConnections.Use connection = connections.use(spec.sandbox(), Deadline.after(ANSWER_LIMIT))) {
            RunningSandbox sandbox = connection.sandbox();
            AttachPoint from = new AttachPoint(journal.end(Output.STDOUT), journal.end(Output.STDERR));
            Found found = found(process, spec, lease, connection, from);
            if (found.execution().isEmpty()) {
                return found.failure().orElseThrow();
            }
            try (GuestExecution execution = found.execution().get();
                    Cancellation cancellation = Cancellation.watch(registry, process.id(), execution, cancelGrace)) {
                ExitStatus exit = new OutputPump(execution, journal, offsets -> registry.append(lease, offsets)).run();
                AwaitOutput outcome = cancellation.outcome(exit);
                // A sandbox that is ending waits until the guest has forgotten it, and so until its end is recorded.
                var _ = registry.completeWithLease(lease, outcome);
                forget(sandbox, execution.id());
                return outcome;
            } catch (VmException lost) {
                connection.failed();
                RuntimeException meaning = sandbox.ended(lost);
                if (meaning instanceof SandboxException.Ended ended) {
                    return ExecutionOutcomes.unavailable(ended);
                }
                throw meaning;
            }
        } catch (SandboxException.NotRunning halted) {
            if (!halted.status().terminal()) {
                throw new DurableExecutionException.NotNow(process.id(), halted);
            }
            return ExecutionOutcomes.unavailable(halted);
        } catch (SandboxException.Suspended later) {
            throw new DurableExecutionException.NotNow(process.id(), later);
        } catch (SandboxException gone) {
            return ExecutionOutcomes.unavailable(gone);
        } catch (IOException e) {
            throw new DurableExecutionException.OutputUnusable(files, e);
        }
    }

    /** Has the guest forget the executions whose end is recorded, if the process that recorded it died before it could. */
    void tidy(RunningSandbox sandbox) {
        for (ExecutionInfo known : listed(sandbox)) {
            if (known.end().isPresent() && known.key().filter(this::isOver).isPresent()) {
                forget(sandbox, known.id());
            }
        }
    }

    private boolean isOver(String process) {
        return registry.get(process).map(known -> known.output().isPresent()).orElse(true);
    }

    /** Has the guest forget an execution. If the guest cannot be asked, the next driver that tidies does it. */
    private static void forget(RunningSandbox sandbox, int execution) {
        try {
            sandbox.release(execution, Deadline.after(ANSWER_LIMIT));
        } catch (SandboxException | VmException gone) {
            LOGGER.log(Level.DEBUG, "a guest still knows an execution that is over", gone);
        }
    }

    /** Describes the execution in its guest, or why there is none and will be none; exactly one of the two. */
    private record Found(Optional<GuestExecution> execution, Optional<AwaitOutput> failure) {
        static Found of(GuestExecution execution) {
            return new Found(Optional.of(execution), Optional.empty());
        }

        static Found lost(String what) {
            return new Found(Optional.empty(), Optional.of(ExecutionOutcomes.lost(what)));
        }
    }

    private Found found(
            ProcessRecord process,
            ExecutionSpec spec,
            Lease lease,
            SharedConnections.Use connection,
            AttachPoint from) {
        try {
            tidy(connection.sandbox());
            return find(process, spec, lease, connection.sandbox(), from);
        } catch (VmException lost) {
            connection.failed();
            throw lost;
        }
    }

    private Found find(
            ProcessRecord process, ExecutionSpec spec, Lease lease, RunningSandbox sandbox, AttachPoint from) {
        String vm = sandbox.vm().value();
        return switch (ExecutionProgress.of(events(process.id()))) {
            case ExecutionProgress.Registered() -> {
                registry.append(lease, ExecutionProgress.starting(vm));
                yield begin(process.id(), spec, lease, sandbox);
            }
            case ExecutionProgress.Starting(String asked)
            when asked.equals(vm) ->
                // The guest may know it, and a sandbox that is ending can only be gone on with.
                resumeStarted(process.id(), lease, sandbox).orElseGet(() -> begin(process.id(), spec, lease, sandbox));
            case ExecutionProgress.Starting _ ->
                Found.lost(
                        "The sandbox was started anew when the command was to be started; whether it ran is not known.");
            case ExecutionProgress.Started(String asked, int execution)
            when asked.equals(vm) -> resume(sandbox, execution, from);
            case ExecutionProgress.Started _ -> Found.lost("The sandbox was started anew while the command ran.");
        };
    }

    private Found begin(String id, ExecutionSpec spec, Lease lease, RunningSandbox sandbox) {
        Optional<ProcessEvent> cancelled = events(id).stream()
                .filter(event -> event.type().equals(EventType.CANCEL_REQUESTED))
                .findFirst();
        if (cancelled.isPresent()) {
            return new Found(
                    Optional.empty(),
                    Optional.of(ExecutionOutcomes.neverStarted(Cancellation.reason(cancelled.get()))));
        }
        try {
            GuestExecution started = sandbox.execOnce(id, spec.command(), spec.options(), Deadline.after(ANSWER_LIMIT));
            registry.append(lease, ExecutionProgress.started(sandbox.vm().value(), started.id()));
            return Found.of(started);
        } catch (SpawnException refused) {
            return new Found(Optional.empty(), Optional.of(ExecutionOutcomes.notStarted(refused)));
        } catch (GuestException.Refused refused) {
            if (refused.failure() != GuestFailure.KEY_TAKEN) {
                throw refused;
            }
            return resumeStarted(id, lease, sandbox).orElseThrow(() -> refused);
        }
    }

    /** Goes on with what an owner before us started that died before it could record that; empty if none did. */
    private Optional<Found> resumeStarted(String id, Lease lease, RunningSandbox sandbox) {
        return listed(sandbox).stream()
                .filter(known -> known.key().equals(Optional.of(id)))
                .findFirst()
                .map(known -> {
                    registry.append(
                            lease, ExecutionProgress.started(sandbox.vm().value(), known.id()));
                    return resume(sandbox, known.id(), AttachPoint.BEGINNING);
                });
    }

    private static Found resume(RunningSandbox sandbox, int execution, AttachPoint from) {
        try {
            GuestExecution attached = sandbox.attach(execution, from, Deadline.after(ANSWER_LIMIT));
            // What is on the disk was perhaps not acknowledged before our predecessor died.
            attached.acknowledge(Output.STDOUT, from.stdout());
            attached.acknowledge(Output.STDERR, from.stderr());
            return Found.of(attached);
        } catch (GuestException.Refused refused) {
            if (refused.failure() == GuestFailure.NO_SUCH_EXECUTION) {
                return Found.lost("The guest does not know the command any more.");
            }
            throw refused;
        }
    }

    private static List<ExecutionInfo> listed(RunningSandbox sandbox) {
        return sandbox.ask(guest -> guest.executions(Deadline.after(ANSWER_LIMIT)));
    }

    /** Only the first page: what matters comes before the first output. */
    private List<ProcessEvent> events(String id) {
        return registry.eventsAfter(id, 0, EVENTS);
    }
}
