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
import java.util.concurrent.atomic.AtomicBoolean;
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

    private final Sandboxes sandboxes;
    private final long id;
    private final String name;
    private final Vm vm;
    private final String image;
    private final ImageConfig config;
    private final @Nullable StartTimings timings;
    private final AtomicBoolean over = new AtomicBoolean();

    private RunningSandbox(
            Sandboxes sandboxes, SandboxRecord record, Vm vm, ImageConfig config, @Nullable StartTimings timings) {
        this.sandboxes = sandboxes;
        this.id = record.id();
        this.name = record.name();
        this.image = record.image();
        this.vm = vm;
        this.config = config;
        this.timings = timings;
    }

    static RunningSandbox owned(
            Sandboxes sandboxes, SandboxRecord record, Vm vm, ImageConfig config, StartTimings timings) {
        RunningSandbox sandbox = new RunningSandbox(sandboxes, record, vm, config, timings);
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
        return Optional.ofNullable(timings);
    }

    /** Starts {@code words} in the guest. */
    public GuestExecution exec(List<String> words, CommandOptions options, Deadline deadline) {
        return start(CommandLine.request(words, config, options, false), deadline);
    }

    /**
     * Starts the image's own command in the guest.
     *
     * @param arguments replace the image's arguments where not empty; its entrypoint stays in front
     * @throws SandboxException.NoCommand if neither names a command
     */
    public GuestExecution execImageCommand(List<String> arguments, CommandOptions options, Deadline deadline) {
        List<String> words = CommandLine.ofImage(image, config, arguments);
        return start(CommandLine.request(words, config, options, true), deadline);
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
        end(Ending.ofMain(main));
    }

    /** Ends the sandbox: its processes get SIGTERM, and SIGKILL after {@code grace}. */
    public void stop(Duration grace, Deadline deadline) {
        sandboxes.stop(name, grace, deadline);
    }

    /** Ends an owned sandbox, at once and recorded as intended; lets go of a connected one. */
    @Override
    public void close() {
        end(Ending.closed());
        vm.close();
    }

    private void end(Ending ending) {
        if (timings != null && over.compareAndSet(false, true)) {
            sandboxes.recordEnd(id, ending);
            vm.kill(Deadline.after(END_LIMIT));
            vm.close();
            sandboxes.clean(id, name);
        }
    }

    private void watch() {
        Thread.ofVirtual().name("sandbox-" + name).start(() -> {
            try {
                vm.awaitExit(Deadline.none());
            } catch (VmException closedFirst) {
                return;
            }
            if (over.compareAndSet(false, true)) {
                vm.close();
                sandboxes.observeEnd(id, name);
            }
        });
    }
}
