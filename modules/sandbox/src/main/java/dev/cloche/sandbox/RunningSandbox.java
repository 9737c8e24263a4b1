package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageSummary;
import dev.cloche.sandbox.directory.ExecWatch;
import dev.cloche.sandbox.directory.SandboxUse;
import dev.cloche.sandbox.directory.UsedConnection;
import dev.cloche.sandbox.directory.UsedExecution;
import dev.cloche.sandbox.directory.UsedStreams;
import dev.cloche.sandbox.directory.UsedWatch;
import dev.cloche.sandbox.lifecycle.SandboxCommit;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxOwnership;
import dev.cloche.sandbox.lifecycle.SandboxStart;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.record.CommandLine;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives access to a sandbox whose guest answers: owned by this process, or connected to. Safe for use from several
 * threads.
 *
 * <p>An owned one ends when it is closed, and is watched: if its VM ends by itself, that is recorded at once.
 */
@SuppressWarnings("exports") // Only inner packages make it.
public final class RunningSandbox implements AutoCloseable {
    /** Is as much as a guest keeps of an output, which may not be read for a while. */
    private static final int ONCE_WINDOW = 16 << 20;

    /** From the loss of the connection to the guard's last word on the VM; longer only if the VM is alive. */
    private static final Duration LOSS_LIMIT = Duration.ofSeconds(5);

    private final SandboxContext context;
    private final SandboxTerminator terminator;
    private final SandboxRecord record;
    private final SandboxUse use;
    private final Vm vm;
    private final ImageConfig config;
    private final CommandOptions defaults;
    private final Optional<SandboxOwnership> ownership;

    private RunningSandbox(
            SandboxContext context,
            SandboxTerminator terminator,
            SandboxRecord record,
            Vm vm,
            ImageConfig config,
            CommandOptions defaults,
            Optional<SandboxOwnership> ownership) {
        this.context = context;
        this.terminator = terminator;
        this.record = record;
        this.use = new SandboxUse(record.name(), context.locks().directory(record));
        this.vm = vm;
        this.config = config;
        this.defaults = defaults;
        this.ownership = ownership;
    }

    public static RunningSandbox owned(
            SandboxContext context,
            SandboxTerminator terminator,
            SandboxStart.Started started,
            SandboxOwnership ownership) {
        return new RunningSandbox(
                context,
                terminator,
                started.record(),
                started.vm(),
                started.config(),
                ownership.defaults(),
                Optional.of(ownership));
    }

    public static RunningSandbox connected(
            SandboxContext context, SandboxTerminator terminator, SandboxRecord record, Vm vm, ImageConfig config) {
        SandboxUse.touch(context.locks().directory(record));
        CommandOptions defaults = context.store()
                .mainCommand(record.id())
                .map(MainCommand::defaults)
                .orElse(CommandOptions.none());
        return new RunningSandbox(context, terminator, record, vm, config, defaults, Optional.empty());
    }

    public long id() {
        return record.id();
    }

    public String name() {
        return record.name();
    }

    /** Returns the VM of its present run. */
    public VmId vm() {
        return vm.id();
    }

    /** Returns its VM, if this process owns it. */
    public Optional<Vm> ownVm() {
        return ownership.map(_ -> vm);
    }

    /** Returns the ports that are published, with those of the host that it has got. */
    public List<PublishedPort> publishedPorts() {
        return context.vms().publishedPorts(vm.id());
    }

    /** Publishes a TCP port of it; see {@link dev.cloche.vm.VmProvider#publish}. */
    public PublishedPort publish(PublishedPort port, Deadline deadline) {
        return context.vms().publish(vm.id(), List.of(port), deadline).getFirst();
    }

    public void unpublish(PublishedPort port, Deadline deadline) {
        context.vms().unpublish(vm.id(), List.of(port), deadline);
    }

    /** Returns how long the start took; empty for a connection to a sandbox that ran already. */
    public Optional<StartTimings> timings() {
        return ownership.map(SandboxOwnership::timings);
    }

    /**
     * Starts {@code words} in the guest.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     * @throws SandboxException.Draining if it takes no further commands
     */
    public GuestExecution exec(List<String> words, CommandOptions options, Deadline deadline) {
        return start(request(words, options), deadline);
    }

    /**
     * Starts {@code words} in the guest, once however often this is asked for: its output is kept in the guest until it is
     * acknowledged, and its end until it is released, also for a process that comes after this one.
     *
     * @param key 1 to 128 bytes, by which the guest knows it
     * @throws dev.cloche.vm.GuestException.Refused with {@link dev.cloche.vm.GuestFailure#KEY_TAKEN} if the guest knows it
     *     already
     * @throws SandboxException.Ended if the sandbox has ended
     * @throws SandboxException.Draining if it takes no further commands
     */
    public GuestExecution execOnce(String key, List<String> words, CommandOptions options, Deadline deadline) {
        return start(request(words, options).acknowledgedAs(key).withWindow(ONCE_WINDOW), deadline);
    }

    /**
     * Starts what an owned sandbox is for: the command of its specification, or the image's own.
     *
     * @throws SandboxException.NoCommand if neither names one
     * @throws SandboxException.Ended if the sandbox has ended
     * @throws IllegalStateException if this is a connection, whose owner has started it
     */
    public GuestExecution execMain(CommandOptions options, Deadline deadline) {
        return start(mainRequest(options), deadline);
    }

    /**
     * Does what {@link #execMain} does, but the guest itself ends the sandbox with it, also when it was {@linkplain #detach
     * detached}.
     */
    public GuestExecution execFinal(CommandOptions options, Deadline deadline) {
        return start(mainRequest(options).asMain(), deadline);
    }

    /** The directory that a command asks for itself has to exist; that of the sandbox is made. */
    private ExecRequest request(List<String> words, CommandOptions options) {
        boolean own = options.workingDirectory().isPresent();
        return CommandLine.request(words, config, options.withDefaults(defaults), !own);
    }

    private ExecRequest mainRequest(CommandOptions options) {
        return ownership
                .orElseThrow(() -> new IllegalStateException("the main command is its owner's to start"))
                .mainRequest(options);
    }

    private GuestFiles files() {
        try {
            return vm.guest().files();
        } catch (VmException.WrongState lost) {
            throw ended(lost);
        }
    }

    private GuestExecution start(ExecRequest request, Deadline deadline) {
        ExecWatch watch = ExecWatch.begin(context.operations(), record);
        try {
            use.begin();
            return used(guest -> guest.exec(request, deadline), watch);
        } catch (Throwable failure) {
            watch.failed(failure);
            throw failure;
        }
    }

    /**
     * Attaches to a command that this or another process has started, also while the sandbox waits for its commands to
     * finish.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     */
    public GuestExecution attach(int execution, AttachPoint from, Deadline deadline) {
        use.goOn();
        return used(guest -> guest.attach(execution, from, deadline), ExecWatch.none(record));
    }

    /**
     * Has the guest forget a command that has ended, of which nothing is needed any more.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     */
    public void release(int execution, Deadline deadline) {
        use.goOn();
        try {
            ask(guest -> {
                guest.release(execution, deadline);
                return execution;
            });
        } finally {
            use.end();
        }
    }

    /** For a use that has begun. */
    private GuestExecution used(Function<Guest, GuestExecution> question, ExecWatch watch) {
        GuestExecution begun = use.untilClosed(() -> ask(question));
        return new UsedExecution(begun, use, watch);
    }

    /**
     * Does something with its files, used as root. What the guest's connection throws comes as it is; {@link #ended} tells what
     * its loss means.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     * @throws SandboxException.Draining if nothing further may be done in it
     */
    public <T> T withFiles(Function<GuestFiles, T> action) {
        use.begin();
        try {
            return action.apply(files());
        } finally {
            use.end();
        }
    }

    /**
     * Makes an image of its own image and of what has changed in its root file system; see {@link
     * dev.cloche.image.ImageStore#commit}.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     * @throws SandboxException.Draining if nothing further may be done in it
     */
    public ImageSummary commit(ImageReference name, String message, Deadline deadline) {
        use.begin();
        try {
            return ask(guest -> SandboxCommit.commit(context, record, guest, name, message, deadline));
        } finally {
            use.end();
        }
    }

    /** Does what {@link #withFiles} does, for a stream from a file: the sandbox is in use until that is closed. */
    public InputStream readFile(Function<GuestFiles, ? extends InputStream> opening) {
        use.begin();
        return use.untilClosed(() -> UsedStreams.reading(opening.apply(files()), use));
    }

    /** Does what {@link #withFiles} does, for a stream to a file: the sandbox is in use until that is closed. */
    public OutputStream writeFile(Function<GuestFiles, ? extends OutputStream> opening) {
        use.begin();
        return use.untilClosed(() -> UsedStreams.writing(opening.apply(files()), use));
    }

    /** Does what {@link #withFiles} does, for a watch: the sandbox is in use until that is closed. */
    public FileWatch watchFiles(Function<GuestFiles, FileWatch> opening) {
        use.begin();
        return use.untilClosed(() -> new UsedWatch(opening.apply(files()), use));
    }

    /**
     * Connects to what listens in the guest. The sandbox is in use until the stream is closed.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     * @throws SandboxException.Draining if nothing further may be done in it
     */
    public GuestStream dial(DialRequest request, Deadline deadline) {
        use.begin();
        return use.untilClosed(() -> new UsedConnection(ask(guest -> guest.dial(request, deadline)), use));
    }

    /**
     * Asks the guest for something.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     */
    public <T> T ask(Function<Guest, T> question) {
        try {
            return question.apply(vm.guest());
        } catch (GuestException.ConnectionLost | VmException.WrongState lost) {
            throw ended(lost);
        }
    }

    /** Returns why it does not work at present although it runs; see {@link Vm#hindrance}. */
    public Optional<VmException.Hindered> hindrance() {
        return vm.hindrance();
    }

    /**
     * Tells what a lost connection to the guest means: the end of the sandbox, with its reason, where that is what it
     * was; {@code lost} itself otherwise.
     */
    public RuntimeException ended(VmException lost) {
        try {
            return ended(vm.awaitExit(Deadline.after(LOSS_LIMIT)), lost);
        } catch (VmException.Deadline alive) {
            return lost;
        }
    }

    /** Waits for its end, which is answered as an error with its reason; empty if it still runs after so long. */
    public Optional<RuntimeException> awaitEnd(Duration longest) {
        try {
            return Optional.of(ended(vm.awaitExit(Deadline.after(longest)), null));
        } catch (VmException.Deadline alive) {
            return Optional.empty();
        }
    }

    private SandboxException ended(VmExit exit, @Nullable VmException lost) {
        if (context.store().byId(record.id()).filter(this::isSuspended).isPresent()) {
            return new SandboxException.Suspended(record.name(), lost);
        }
        Termination why = ownership
                .flatMap(SandboxOwnership::termination)
                .orElseGet(() -> terminator.termination(record.id(), vm.id(), exit));
        return new SandboxException.Ended(record.name(), why, lost);
    }

    /** Says whether its run goes on, from its memory and in another VM than the one that this knew. */
    private boolean isSuspended(SandboxRecord now) {
        boolean same = now.latestRun()
                .filter(run -> run.vm().equals(vm.id()) && run.termination().isEmpty())
                .isPresent();
        boolean resumed = now.isLive()
                && context.vms()
                        .get(vm.id())
                        .filter(found -> found.state().live())
                        .isPresent();
        return same && (now.status().suspends() || resumed);
    }

    /** Notes that the main command has ended, and an owned sandbox with it; recorded as the reason of its end. */
    public void finish(ExitStatus main) {
        ownership.ifPresent(mine -> mine.finish(main));
    }

    /**
     * Ends the sandbox: its processes get SIGTERM, and SIGKILL after {@code grace}. If it has ended, nothing happens.
     * When this returns, the end is recorded.
     */
    public void stop(Duration grace, Deadline deadline) {
        // A sandbox that is gone has ended, also if another has its name now.
        context.store()
                .byId(record.id())
                .filter(now ->
                        now.latestRun().filter(run -> run.vm().equals(vm.id())).isPresent())
                .ifPresent(now -> terminator.end(now, TerminationReason.SHUTDOWN_REQUESTED, grace, deadline));
        if (ownership.isPresent()) {
            var _ = vm.awaitExit(Deadline.after(LOSS_LIMIT));
            ownership.get().hasEnded();
        }
    }

    /**
     * Ends an owned sandbox, at once and recorded as intended, unless it has ended by itself; lets go of a connected one.
     * When this returns, the end is recorded and nothing of an ephemeral sandbox is left, also if the thread is
     * interrupted.
     */
    @Override
    public void close() {
        ownership.ifPresentOrElse(SandboxOwnership::close, vm::close);
    }

    /**
     * Lets an owned sandbox outlive this process, and lets go of it, as of a connected one. It ends with its main command, if
     * that was started by {@link #execFinal}, or when it is stopped. Of one that has ended, the end is recorded.
     */
    public void detach() {
        ownership.ifPresentOrElse(SandboxOwnership::detach, vm::close);
    }
}
