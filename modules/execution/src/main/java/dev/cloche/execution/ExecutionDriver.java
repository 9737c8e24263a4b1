package dev.cloche.execution;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.DrivenProcess;
import dev.cloche.process.FailureClass;
import dev.cloche.process.Json;
import dev.cloche.process.Lease;
import dev.cloche.process.ProcessDriver;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.Sandboxes;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestRefusedException;
import dev.cloche.vm.Output;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Drives one execution for the holder of its lease: has it started, unless it was, brings its output to this host's disk,
 * and says how it ended. Wherever this program dies, the next owner goes on.
 */
final class ExecutionDriver implements ProcessDriver {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
    private static final int EVENTS = 1000;
    private static final System.Logger LOGGER = System.getLogger(ExecutionDriver.class.getName());

    private final ProcessRegistry registry;
    private final Sandboxes sandboxes;
    private final Path directory;
    private final Clock clock;
    private final Duration cancelGrace;

    /** @param directory of the executions' outputs */
    ExecutionDriver(ProcessRegistry registry, Sandboxes sandboxes, Path directory, Clock clock, Duration cancelGrace) {
        this.registry = registry;
        this.sandboxes = sandboxes;
        this.directory = directory;
        this.clock = clock;
        this.cancelGrace = cancelGrace;
    }

    /**
     * Starts it, if nobody has, and returns when the guest has answered.
     *
     * @return how it ended, if it cannot be started
     */
    Optional<AwaitOutput> start(ProcessRecord process, Lease lease) {
        ExecutionSpec spec = SpecJson.read(process.registration().input().payload());
        try (RunningSandbox sandbox = sandboxes.connect(spec.sandbox(), Deadline.after(ANSWER_LIMIT))) {
            tidy(sandbox);
            Found found = find(process, spec, lease, sandbox, AttachPoint.BEGINNING);
            found.execution().ifPresent(GuestExecution::close);
            return found.failure();
        } catch (SandboxException gone) {
            return Optional.of(unavailable(gone));
        }
    }

    /**
     * Goes with it to its end, and gives it back where that cannot be found out now.
     *
     * @throws InterruptedException if this thread is interrupted, because the lease is lost or this program ends; it runs on
     */
    @Override
    public Optional<AwaitOutput> drive(DrivenProcess driven) throws InterruptedException {
        try {
            return Optional.of(drive(driven.process(), driven.lease()));
        } catch (ExecutionException.Invalid unreadable) {
            return Optional.of(failure(FailureClass.INVALID_REQUEST, unreadable));
        } catch (ExecutionException | VmException later) {
            LOGGER.log(
                    System.Logger.Level.DEBUG,
                    "the execution " + driven.process().id() + " is given back",
                    later);
            // The next try comes at once, and a guest that cannot be reached now may be reachable soon.
            Thread.sleep(RETRY_PAUSE);
            return Optional.empty();
        }
    }

    private AwaitOutput drive(ProcessRecord process, Lease lease) throws InterruptedException {
        ExecutionSpec spec = SpecJson.read(process.registration().input().payload());
        Path files = directory.resolve(process.id());
        try (OutputJournal journal = OutputJournal.open(files, OutputJournal.KEPT_BYTES, clock)
                        .orElseThrow(() -> new ExecutionException.Busy(process.id()));
                RunningSandbox sandbox = sandboxes.connect(spec.sandbox(), Deadline.after(ANSWER_LIMIT))) {
            tidy(sandbox);
            AttachPoint from = new AttachPoint(journal.end(Output.STDOUT), journal.end(Output.STDERR));
            Found found = find(process, spec, lease, sandbox, from);
            if (found.execution().isEmpty()) {
                return found.failure().orElseThrow();
            }
            try (GuestExecution execution = found.execution().get();
                    Cancellation cancellation = Cancellation.watch(registry, process.id(), execution, cancelGrace)) {
                ExitStatus exit = new OutputPump(execution, journal, offsets -> registry.append(lease, offsets)).run();
                return cancellation.outcome(exit);
            } catch (VmException lost) {
                RuntimeException meaning = sandbox.ended(lost);
                if (meaning instanceof SandboxException.Ended ended) {
                    return unavailable(ended);
                }
                throw meaning;
            }
        } catch (SandboxException.NotRunning halted) {
            if (!halted.status().terminal()) {
                throw new ExecutionException.NotNow(process.id(), halted);
            }
            return unavailable(halted);
        } catch (SandboxException gone) {
            return unavailable(gone);
        } catch (IOException e) {
            throw new ExecutionException.OutputUnusable(files, e);
        }
    }

    /** Has the guest forget the executions whose end is recorded: theirs could not be in one step with that. */
    private void tidy(RunningSandbox sandbox) {
        for (ExecutionInfo known : listed(sandbox)) {
            boolean over = known.end().isPresent()
                    && known.key()
                            .flatMap(registry::get)
                            .filter(process -> process.output().isPresent())
                            .isPresent();
            if (over) {
                sandbox.ask(guest -> {
                    guest.release(known.id(), Deadline.after(ANSWER_LIMIT));
                    return known;
                });
            }
        }
    }

    /** The execution in its guest, or why there is none and will be none; exactly one of the two. */
    private record Found(Optional<GuestExecution> execution, Optional<AwaitOutput> failure) {
        static Found of(GuestExecution execution) {
            return new Found(Optional.of(execution), Optional.empty());
        }

        static Found lost(String what) {
            return new Found(
                    Optional.empty(),
                    Optional.of(new AwaitOutput.Failure(
                            FailureClass.UNAVAILABLE, "execution.lost", what, Optional.empty())));
        }
    }

    private Found find(
            ProcessRecord process, ExecutionSpec spec, Lease lease, RunningSandbox sandbox, AttachPoint from) {
        String vm = sandbox.vm().value();
        return switch (Progress.of(events(process.id()))) {
            case Progress.Registered() -> {
                registry.append(lease, Progress.starting(vm));
                yield begin(process.id(), spec, lease, sandbox);
            }
            case Progress.Starting(String asked) when asked.equals(vm) -> begin(process.id(), spec, lease, sandbox);
            case Progress.Starting _ ->
                Found.lost(
                        "The sandbox was started anew when the command was to be started; whether it ran is not known.");
            case Progress.Started(String asked, int execution)
            when asked.equals(vm) -> resume(sandbox, execution, from);
            case Progress.Started _ -> Found.lost("The sandbox was started anew while the command ran.");
        };
    }

    private Found begin(String id, ExecutionSpec spec, Lease lease, RunningSandbox sandbox) {
        try {
            GuestExecution started = sandbox.execOnce(id, spec.command(), spec.options(), Deadline.after(ANSWER_LIMIT));
            registry.append(lease, Progress.started(sandbox.vm().value(), started.id()));
            return Found.of(started);
        } catch (SpawnException refused) {
            return new Found(Optional.empty(), Optional.of(failure(FailureClass.INVALID_REQUEST, refused)));
        } catch (GuestRefusedException refused) {
            if (refused.failure() != GuestFailure.KEY_TAKEN) {
                throw refused;
            }
            // An owner before us started it, and died before it could write that down.
            int execution = listed(sandbox).stream()
                    .filter(known -> known.key().equals(Optional.of(id)))
                    .findFirst()
                    .orElseThrow(() -> refused)
                    .id();
            registry.append(lease, Progress.started(sandbox.vm().value(), execution));
            return resume(sandbox, execution, AttachPoint.BEGINNING);
        }
    }

    private static Found resume(RunningSandbox sandbox, int execution, AttachPoint from) {
        try {
            GuestExecution attached = sandbox.attach(execution, from, Deadline.after(ANSWER_LIMIT));
            // What is on the disk was perhaps not acknowledged before our predecessor died.
            attached.acknowledge(Output.STDOUT, from.stdout());
            attached.acknowledge(Output.STDERR, from.stderr());
            return Found.of(attached);
        } catch (GuestRefusedException refused) {
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

    private static AwaitOutput unavailable(SandboxException gone) {
        return failure(FailureClass.UNAVAILABLE, gone);
    }

    private static AwaitOutput failure(FailureClass kind, ClocheException why) {
        return new AwaitOutput.Failure(kind, why.code(), String.valueOf(why.getMessage()), Optional.empty());
    }

    /** How a command ended that nobody cancelled. */
    static AwaitOutput.Success success(ExitStatus exit) {
        return new AwaitOutput.Success(json(exit), Optional.empty());
    }

    static Json json(ExitStatus exit) {
        return switch (exit) {
            case ExitStatus.Exited(int code) -> Json.object(Map.of("exitCode", Json.of(code)));
            case ExitStatus.Signalled(int signal) -> Json.object(Map.of("signal", Json.of(signal)));
        };
    }
}
