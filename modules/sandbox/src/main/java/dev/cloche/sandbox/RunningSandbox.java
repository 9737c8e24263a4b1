package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageConfig;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestConnectionLostException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.GuestProtocolException;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmDeadlineException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmStateException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox whose guest answers: owned by this process, or connected to. Safe for use from several threads.
 *
 * <p>An owned one ends when it is closed, and is watched: if its VM ends by itself, that is recorded at once.
 */
public final class RunningSandbox implements AutoCloseable {
    /** As much as a guest keeps of an output: nobody may come to read it for a while. */
    private static final int ONCE_WINDOW = 16 << 20;

    /** From the loss of the connection to the guard's last word on the VM; longer only if the VM is alive. */
    private static final Duration LOSS_LIMIT = Duration.ofSeconds(5);

    /** For a guest to write what it holds back to its disk. */
    private static final Duration FLUSH_LIMIT = Duration.ofSeconds(30);

    /** What only the process that started a sandbox has. */
    private record Ownership(
            OwnerLock lock,
            MainCommand main,
            StartTimings timings,
            Optional<IdleWatch> idle,
            Consumer<RunningSandbox> onEnd) {}

    private final Foundations ground;
    private final SandboxEnds ends;
    private final SandboxRecord record;
    private final SandboxUse use;
    private final Vm vm;
    private final ImageConfig config;
    private final @Nullable Ownership ownership;
    private final ReentrantLock ending = new ReentrantLock();
    private boolean over;
    /** How this handle ended the sandbox. */
    private volatile @Nullable Ending own;

    private RunningSandbox(
            Foundations ground,
            SandboxEnds ends,
            SandboxRecord record,
            Vm vm,
            ImageConfig config,
            @Nullable Ownership ownership) {
        this.ground = ground;
        this.ends = ends;
        this.record = record;
        this.use = new SandboxUse(record.name(), ground.locks().directory(record));
        this.vm = vm;
        this.config = config;
        this.ownership = ownership;
    }

    /** @param onEnd told when the sandbox is over */
    static RunningSandbox owned(
            Foundations ground,
            SandboxEnds ends,
            SandboxStart.Started started,
            MainCommand main,
            Consumer<RunningSandbox> onEnd) {
        Ownership ownership = new Ownership(
                started.lock(), main, started.timings(), IdleWatch.start(ground, ends, started.record()), onEnd);
        return new RunningSandbox(ground, ends, started.record(), started.vm(), started.config(), ownership);
    }

    static RunningSandbox connected(
            Foundations ground, SandboxEnds ends, SandboxRecord record, Vm vm, ImageConfig config) {
        SandboxUse.touch(ground.locks().directory(record));
        return new RunningSandbox(ground, ends, record, vm, config, null);
    }

    public long id() {
        return record.id();
    }

    public String name() {
        return record.name();
    }

    /** The VM of its present run. */
    public VmId vm() {
        return vm.id();
    }

    /** Its VM, if this process owns it. */
    Optional<Vm> ownVm() {
        return Optional.ofNullable(ownership).map(_ -> vm);
    }

    /** The ports that are published, with those of the host that it has got. */
    public List<PublishedPort> publishedPorts() {
        return ground.vms().publishedPorts(vm.id());
    }

    /** How long the start took; empty for a connection to a sandbox that ran already. */
    public Optional<StartTimings> timings() {
        return Optional.ofNullable(ownership).map(Ownership::timings);
    }

    /**
     * Starts {@code words} in the guest.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     * @throws SandboxException.Draining if it takes no further commands
     */
    public GuestExecution exec(List<String> words, CommandOptions options, Deadline deadline) {
        return start(CommandLine.request(words, config, options, false), deadline);
    }

    /**
     * Starts {@code words} in the guest, once however often this is asked for: its output is kept in the guest until it is
     * acknowledged, and its end until it is released, also for a process that comes after this one.
     *
     * @param key 1 to 128 bytes, by which the guest knows it
     * @throws dev.cloche.vm.GuestRefusedException with {@link dev.cloche.vm.GuestFailure#KEY_TAKEN} if the guest knows it already
     * @throws SandboxException.Ended if the sandbox has ended
     * @throws SandboxException.Draining if it takes no further commands
     */
    public GuestExecution execOnce(String key, List<String> words, CommandOptions options, Deadline deadline) {
        ExecRequest request = CommandLine.request(words, config, options, false);
        return start(request.acknowledgedAs(key).withWindow(ONCE_WINDOW), deadline);
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
     * Like {@link #execMain}, but the guest itself ends the sandbox with it, also when it was {@linkplain #detach detached}.
     */
    public GuestExecution execFinal(CommandOptions options, Deadline deadline) {
        return start(mainRequest(options).asMain(), deadline);
    }

    private ExecRequest mainRequest(CommandOptions options) {
        if (ownership == null) {
            throw new IllegalStateException("the main command is its owner's to start");
        }
        MainCommand main = new MainCommand(ownership.main().words(), options);
        if (!record.ephemeral() && !main.equals(ownership.main())) {
            ground.store().changeMain(record.id(), main);
        }
        return CommandLine.mainRequest(record.image(), main, config);
    }

    private GuestFiles files() {
        try {
            return vm.guest().files();
        } catch (VmStateException lost) {
            throw ended(lost);
        }
    }

    private GuestExecution start(ExecRequest request, Deadline deadline) {
        use.begin();
        return used(guest -> guest.exec(request, deadline));
    }

    /**
     * Goes on with a command that somebody has started, also while the sandbox waits for its commands to finish.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     */
    public GuestExecution attach(int execution, AttachPoint from, Deadline deadline) {
        use.goOn();
        return used(guest -> guest.attach(execution, from, deadline));
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
    private GuestExecution used(Function<Guest, GuestExecution> question) {
        return untilClosed(() -> new UsedExecution(ask(question), use));
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

    /** Like {@link #withFiles}, for a stream from a file: the sandbox is in use until that is closed. */
    public InputStream readFile(Function<GuestFiles, ? extends InputStream> opening) {
        use.begin();
        return untilClosed(() -> UsedStreams.reading(opening.apply(files()), use));
    }

    /** Like {@link #withFiles}, for a stream to a file: the sandbox is in use until that is closed. */
    public OutputStream writeFile(Function<GuestFiles, ? extends OutputStream> opening) {
        use.begin();
        return untilClosed(() -> UsedStreams.writing(opening.apply(files()), use));
    }

    /** For a use that has begun, and ends with what is opened, or with the failure to. */
    private <T> T untilClosed(Supplier<T> opening) {
        try {
            return opening.get();
        } catch (Throwable failure) {
            use.end();
            throw failure;
        }
    }

    /**
     * Asks the guest for something.
     *
     * @throws SandboxException.Ended if the sandbox has ended
     */
    public <T> T ask(Function<Guest, T> question) {
        try {
            return question.apply(vm.guest());
        } catch (GuestConnectionLostException | VmStateException lost) {
            throw ended(lost);
        }
    }

    /**
     * What a lost connection to the guest means: the end of the sandbox, with its reason, where that is what it was;
     * {@code lost} itself otherwise.
     */
    public RuntimeException ended(VmException lost) {
        try {
            VmExit exit = vm.awaitExit(Deadline.after(LOSS_LIMIT));
            Ending known = own;
            return new SandboxException.Ended(
                    record.name(), known != null ? known : ends.ending(record.id(), vm.id(), exit), lost);
        } catch (VmDeadlineException alive) {
            return lost;
        }
    }

    /** The main command has ended, and an owned sandbox with it; recorded as the reason of its end. */
    public void finish(ExitStatus main) {
        if (ownership != null) {
            endOnce(ownership, () -> end(Ending.ofMain(main, false)));
        }
    }

    /**
     * Ends the sandbox: its processes get SIGTERM, and SIGKILL after {@code grace}. If it has ended, nothing happens.
     * When this returns, the end is recorded.
     */
    public void stop(Duration grace, Deadline deadline) {
        // One that is gone has ended, whoever has its name now.
        ground.store()
                .byId(record.id())
                .filter(now ->
                        now.latestRun().filter(run -> run.vm().equals(vm.id())).isPresent())
                .ifPresent(now -> ends.end(now, TerminationReason.SHUTDOWN_REQUESTED, grace, deadline));
        if (ownership != null) {
            var _ = vm.awaitExit(Deadline.after(LOSS_LIMIT));
            endOnce(ownership, this::observeEnd);
        }
    }

    /**
     * Ends an owned sandbox, at once and recorded as intended, unless it has ended by itself; lets go of a connected one.
     * When this returns, the end is recorded and nothing of an ephemeral sandbox is left, also if the thread is
     * interrupted.
     */
    @Override
    public void close() {
        if (ownership == null) {
            vm.close();
            return;
        }
        endOnce(ownership, () -> {
            if (vm.state().live()) {
                end(isDeaf() ? Ending.unresponsive() : Ending.closed());
            } else {
                observeEnd();
            }
        });
    }

    /** Whether its guest has broken the protocol, and is about to be ended for it. */
    private boolean isDeaf() {
        try {
            return vm.guest().awaitLoss(Deadline.after(Duration.ZERO)) instanceof GuestProtocolException;
        } catch (VmDeadlineException | VmStateException well) {
            return false;
        }
    }

    /**
     * Lets an owned sandbox outlive this process, and lets go of it, as of a connected one. It ends with its main command, if
     * that was started by {@link #execFinal}, or when it is stopped. Of one that has ended, the end is recorded.
     */
    public void detach() {
        if (ownership == null) {
            vm.close();
            return;
        }
        endOnce(ownership, () -> {
            try {
                ends.detach(record.id(), vm);
            } catch (VmStateException endedMeanwhile) {
                observeEnd();
                return;
            }
            vm.close();
        });
    }

    private void end(Ending how) {
        own = how;
        try {
            ends.record(record.id(), how);
        } finally {
            keepWhatIsWritten();
            vm.close();
        }
    }

    /** What the guest has not flushed yet is to be on the disk when the sandbox is started again. */
    private void keepWhatIsWritten() {
        if (record.diskMib().isPresent() && !record.ephemeral() && vm.state().live()) {
            try {
                vm.stop(Duration.ZERO, Deadline.after(FLUSH_LIMIT));
            } catch (VmException deaf) {
                System.getLogger(RunningSandbox.class.getName())
                        .log(System.Logger.Level.WARNING, "sandbox " + record.name() + " may have lost writes", deaf);
            }
        }
    }

    private void observeEnd() {
        vm.close();
        ends.observed(record.id());
    }

    /** Records the end of an owned sandbox as soon as it comes. */
    void watch() {
        if (ownership == null) {
            throw new IllegalStateException("the end of a sandbox is its owner's to record");
        }
        Ownership mine = ownership;
        Thread.ofVirtual().name("sandbox-" + record.name()).start(() -> {
            try {
                ends.awaitEnd(record, vm);
                endOnce(mine, this::observeEnd);
            } catch (RuntimeException unrecorded) {
                // Whoever reads the record next will see to it.
                System.getLogger(RunningSandbox.class.getName())
                        .log(
                                System.Logger.Level.DEBUG,
                                "the end of sandbox " + record.name() + " is not recorded",
                                unrecorded);
            }
        });
    }

    /** The first who comes ends it; the others wait until that is done. */
    private void endOnce(Ownership mine, Runnable end) {
        Uninterrupted.run(() -> {
            ending.lock();
            try {
                if (!over) {
                    over = true;
                    mine.idle().ifPresent(IdleWatch::close);
                    try (OwnerLock lock = mine.lock()) {
                        end.run();
                        ends.cleanUnder(lock, record.id());
                    }
                }
            } finally {
                ending.unlock();
                mine.onEnd().accept(this);
            }
        });
    }
}
