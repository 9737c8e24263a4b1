package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageConfig;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestConnectionLostException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmDeadlineException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox whose guest answers: owned by this process, or connected to. Safe for use from several threads.
 *
 * <p>An owned one ends when it is closed, and is watched: if its VM ends by itself, that is recorded at once.
 */
public final class RunningSandbox implements AutoCloseable {
    private static final Duration END_LIMIT = Duration.ofSeconds(30);

    /** From the loss of the connection to the guard's last word on the VM; longer only if the VM is alive. */
    private static final Duration LOSS_LIMIT = Duration.ofSeconds(5);

    /** What only the process that started a sandbox has. */
    private record Ownership(SandboxSpec spec, StartTimings timings) {}

    private final Sandboxes sandboxes;
    private final long id;
    private final String name;
    private final Vm vm;
    private final ImageConfig config;
    private final @Nullable Ownership ownership;
    private final ReentrantLock ending = new ReentrantLock();
    private boolean over;

    private RunningSandbox(
            Sandboxes sandboxes, SandboxRecord record, Vm vm, ImageConfig config, @Nullable Ownership ownership) {
        this.sandboxes = sandboxes;
        this.id = record.id();
        this.name = record.name();
        this.vm = vm;
        this.config = config;
        this.ownership = ownership;
    }

    static RunningSandbox owned(
            Sandboxes sandboxes,
            SandboxRecord record,
            Vm vm,
            SandboxSpec spec,
            ImageConfig config,
            StartTimings timings) {
        RunningSandbox sandbox = new RunningSandbox(sandboxes, record, vm, config, new Ownership(spec, timings));
        sandbox.watch();
        return sandbox;
    }

    static RunningSandbox connected(Sandboxes sandboxes, SandboxRecord record, Vm vm, ImageConfig config) {
        return new RunningSandbox(sandboxes, record, vm, config, null);
    }

    public long id() {
        return id;
    }

    public String name() {
        return name;
    }

    /** How long the start took; empty for a connection to a sandbox that ran already. */
    public Optional<StartTimings> timings() {
        return Optional.ofNullable(ownership).map(Ownership::timings);
    }

    /** Starts {@code words} in the guest. */
    public GuestExecution exec(List<String> words, CommandOptions options, Deadline deadline) {
        return start(CommandLine.request(words, config, options, false), deadline);
    }

    /**
     * Starts what an owned sandbox is for: the command of its specification, or the image's own.
     *
     * @throws SandboxException.NoCommand if neither names one
     * @throws IllegalStateException if this is a connection, whose owner has started it
     */
    public GuestExecution execMain(CommandOptions options, Deadline deadline) {
        if (ownership == null) {
            throw new IllegalStateException("the main command is its owner's to start");
        }
        return start(CommandLine.mainRequest(ownership.spec(), config, options), deadline);
    }

    private GuestExecution start(ExecRequest request, Deadline deadline) {
        try {
            return vm.guest().exec(request, deadline);
        } catch (GuestConnectionLostException lost) {
            throw ended(lost);
        }
    }

    /** What a lost connection to the guest means: the end of the sandbox, with its reason, where that is what it was. */
    public RuntimeException ended(GuestConnectionLostException lost) {
        try {
            VmExit exit = vm.awaitExit(Deadline.after(LOSS_LIMIT));
            return new SandboxException.Ended(name, Ending.of(exit, false), lost);
        } catch (VmDeadlineException alive) {
            return lost;
        }
    }

    /** The main command has ended, and an owned sandbox with it; recorded as the reason of its end. */
    public void finish(ExitStatus main) {
        if (ownership != null) {
            endOnce(() -> end(Ending.ofMain(main)));
        }
    }

    /** Ends the sandbox: its processes get SIGTERM, and SIGKILL after {@code grace}. */
    public void stop(Duration grace, Deadline deadline) {
        sandboxes.stop(name, grace, deadline);
    }

    /**
     * Ends an owned sandbox, at once and recorded as intended, unless it has ended by itself; lets go of a connected one.
     * When this returns, the end is recorded.
     */
    @Override
    public void close() {
        if (ownership != null) {
            endOnce(() -> {
                if (vm.state().live()) {
                    end(Ending.closed());
                } else {
                    observeEnd();
                }
            });
        }
        vm.close();
    }

    private void end(Ending ending) {
        sandboxes.recordEnd(id, ending);
        vm.kill(Deadline.after(END_LIMIT));
        vm.close();
        sandboxes.clean(id, name);
    }

    private void observeEnd() {
        vm.close();
        sandboxes.observeEnd(id, name);
    }

    private void watch() {
        Thread.ofVirtual().name("sandbox-" + name).start(() -> {
            try {
                vm.awaitExit(Deadline.none());
            } catch (VmException closedFirst) {
                return;
            }
            endOnce(this::observeEnd);
        });
    }

    /** The first who comes ends it; the others wait until that is done. */
    private void endOnce(Runnable end) {
        ending.lock();
        try {
            if (!over) {
                over = true;
                end.run();
            }
        } finally {
            ending.unlock();
        }
    }
}
