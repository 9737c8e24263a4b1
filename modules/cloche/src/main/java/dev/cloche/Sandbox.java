package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.base.Uninterrupted;
import dev.cloche.image.ImageReference;
import dev.cloche.image.LocalImage;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.Interpreters;
import dev.cloche.interpreter.Language;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.PublishedPort;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * A sandbox whose guest answers. Safe for use from several threads; commands run side by side.
 *
 * <pre>{@code
 * try (Sandbox sandbox = cloche.sandbox("debian").start()) {
 *     System.out.println(sandbox.exec("cat", "/etc/debian_version").stdoutText());
 * }
 * }</pre>
 */
public final class Sandbox implements AutoCloseable {
    /** For a guest to say what it knows already. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

    private final Cloche cloche;
    private final RunningSandbox running;
    private final GuestOwner owner;
    private final OpenExecutions executions = new OpenExecutions();
    private final PublishedPorts.Forwards forwards;

    Sandbox(Cloche cloche, RunningSandbox running) {
        this.cloche = cloche;
        this.running = running;
        this.owner = GuestOwner.of(running);
        this.forwards = new PublishedPorts.Forwards(owner);
    }

    /** Returns its name, given or generated; also the host name of its guest. */
    public String name() {
        return running.name();
    }

    /** Returns its number, unique on this host and never used twice; a rename leaves it as it is. */
    public long id() {
        return running.id();
    }

    /**
     * Returns what is recorded of it now.
     *
     * @throws dev.cloche.base.ClocheException if it is removed, as an ephemeral one is that has ended
     */
    public SandboxInfo info() {
        SandboxManager room = cloche.sandboxRoom();
        return SandboxInfo.of(room.get(running.id()), room);
    }

    /**
     * Returns its status, compared with what really runs. Short for {@code info().status()}.
     *
     * <pre>{@code
     * if (sandbox.status() == SandboxStatus.PAUSED) {
     *     cloche.sandboxes().resume(sandbox.name());
     * }
     * }</pre>
     */
    public SandboxStatus status() {
        return info().status();
    }

    /**
     * Suspends it as {@link Sandboxes#suspend} does. This is of no use from then on: connect to the sandbox again when it is
     * resumed.
     *
     * <pre>{@code
     * sandbox.suspend();
     * cloche.sandboxes().resume(sandbox.name());
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException as that does
     */
    @Incubating
    public void suspend() {
        cloche.sandboxRoom().suspend(running.id(), Deadline.none());
    }

    /**
     * Suspends it without its secrets, as {@link Sandboxes#suspendWithoutSecrets} does. This is of no use from then on.
     *
     * <pre>{@code
     * sandbox.suspendWithoutSecrets();
     * cloche.sandboxes().resume(sandbox.name(), Map.of("token", token));
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException as that does
     */
    @Incubating
    public void suspendWithoutSecrets() {
        cloche.sandboxRoom().suspendWithoutSecrets(running.id(), Deadline.none());
    }

    /**
     * Returns when it is ended by its limit, or empty if it has none. Short for {@code info().deadline()}.
     *
     * <p>The host counts the time that is left, so if its wall clock is set, this time moves and the end does not. Of a sandbox
     * that is suspended it stands still.
     *
     * <pre>{@code
     * sandbox.deadline().ifPresent(end -> System.out.println("until " + end));
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException as {@link #info()} does
     */
    @Incubating
    public Optional<Instant> deadline() {
        return info().deadline();
    }

    /**
     * Puts its deadline off, which {@link SandboxBuilder#maxDuration} has set or {@link #deadline(Instant)}. This holds also if
     * no process of Cloche is left.
     *
     * <pre>{@code
     * Instant end = sandbox.extend(Duration.ofHours(1));
     * }</pre>
     *
     * @param more is positive; the new deadline is at most 365 days ahead
     * @return the new deadline
     * @throws dev.cloche.base.ClocheException with the code {@code sandbox.no-deadline} if it has none, with {@code
     *     sandbox.ending} if its end was asked for, with {@code sandbox.not-running} if it does not run
     */
    @Incubating
    public Instant extend(Duration more) {
        return cloche.sandboxRoom().extend(running.id(), more);
    }

    /**
     * Sets its deadline, earlier or later than the one that it has, or its first one. The time up to it is counted from this
     * call on.
     *
     * <pre>{@code
     * sandbox.deadline(Instant.now().plus(Duration.ofMinutes(5)));
     * }</pre>
     *
     * @param until in the future, at most 365 days ahead
     * @throws dev.cloche.base.ClocheException with the code {@code sandbox.ending} if its end was asked for, with {@code
     *     sandbox.not-running} if it does not run
     */
    @Incubating
    public void deadline(Instant until) {
        var _ = cloche.sandboxRoom().deadline(running.id(), until);
    }

    /**
     * Returns what it can be found by.
     *
     * @throws dev.cloche.base.ClocheException as {@link #info()} does
     */
    public Map<String, String> labels() {
        return cloche.sandboxRoom().labels(running.id());
    }

    /** Returns where the time of its start went; empty for a sandbox that was connected to. */
    public Optional<StartTimings> startTimings() {
        return running.timings();
    }

    /**
     * Runs a command to its end and returns all that it wrote. Short for {@code command(words).run()}.
     *
     * @throws dev.cloche.base.ClocheException as {@link CommandBuilder#start()} and {@link CommandBuilder#run()} do
     */
    public ExecResult exec(String... words) {
        return command(words).run();
    }

    /**
     * Returns a command to start, with the sandbox's environment, working directory and user unless the builder is told
     * otherwise.
     *
     * @param words the program, searched in the {@code PATH} of its environment, and its arguments; no shell reads them
     */
    public CommandBuilder command(String... words) {
        List<String> command = List.of(words);
        return new CommandBuilder(
                (options, deadline) -> begun(running.exec(command, options, deadline), options, deadline));
    }

    private Execution begun(GuestExecution command, CommandOptions options, Deadline deadline) {
        return executions.add(new Execution(owner, command, deadline, !options.acknowledged()));
    }

    /**
     * Waits until what runs in it is ready. Takes hardly any processor time meanwhile.
     *
     * <pre>{@code
     * cloche.sandbox("redis").name("redis").detached().start();
     * try (Sandbox redis = cloche.connect("redis")) {
     *     redis.await(Ready.port(6379), Duration.ofSeconds(30));
     * }
     * }</pre>
     *
     * @param longest how long to wait
     * @throws dev.cloche.base.ClocheException with the code {@code sandbox.not-ready} if that time passes, with a code {@code
     *     sandbox.ended.…} if the sandbox ends before, or if it can never be asked, as {@link Ready} says
     */
    public void await(Ready condition, Duration longest) {
        new ReadyWait(ReadySubject.of(this, running), Deadline.after(longest)).until(condition);
    }

    /** Opens what its main command writes. */
    OutputLog outputLog() {
        SandboxManager room = cloche.sandboxRoom();
        return room.outputLog(room.get(running.id()).name());
    }

    /** Returns the ports of this host that lead to it, with one more for each that is asked for, until this handle is closed. */
    public PublishedPorts ports() {
        return new PublishedPorts(owner, forwards);
    }

    /**
     * Connects to a TCP port of the guest, without any network: a program that listens on it, on 127.0.0.1 too, is reached
     * through the channel on which Cloche speaks with the guest. Short for {@code dial(DialRequest.port(port))}.
     *
     * <pre>{@code
     * try (GuestStream redis = sandbox.dial(6379)) {
     *     redis.write(ByteBuffer.wrap("PING\r\n".getBytes(UTF_8)));
     * }
     * }</pre>
     *
     * @param port 1 to 65,535
     * @throws dev.cloche.base.ClocheException as {@link #dial(DialRequest)} does
     */
    @Incubating
    public GuestStream dial(int port) {
        return dial(DialRequest.port(port));
    }

    /**
     * Connects to a Unix socket of the guest, as root. Short for {@code dial(DialRequest.path(path))}.
     *
     * <pre>{@code
     * GuestStream docker = sandbox.dial("/run/docker.sock");
     * }</pre>
     *
     * @param path absolute, at most 107 bytes
     * @throws dev.cloche.base.ClocheException as {@link #dial(DialRequest)} does
     */
    @Incubating
    public GuestStream dial(String path) {
        return dial(DialRequest.path(path));
    }

    /**
     * Connects to what listens in the guest. At most 256 connections of a guest are open at a time.
     *
     * <pre>{@code
     * GuestStream web = sandbox.dial(DialRequest.port(8000).withPatience(Duration.ofSeconds(10)));
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException with the code {@code vm.connection-refused} if nothing listens there in time,
     *     with {@code vm.older-agent} if the VM began with a version of Cloche that could not do this, with {@code sandbox.ended.…} if the
     *     sandbox has ended
     */
    @Incubating
    public GuestStream dial(DialRequest request) {
        return running.dial(request, Deadline.after(ANSWER_LIMIT.plus(request.patience())));
    }

    /**
     * Has a free port of this host, on 127.0.0.1, lead to a TCP port of the guest until the answer is closed. The guest needs no
     * network.
     *
     * @param guestPort 1 to 65,535
     */
    @Incubating
    public PortForward forward(int guestPort) {
        return forward(NetworkSettings.anyFor(guestPort));
    }

    /**
     * Does what {@link #forward(int)} does, on an address of the caller's choice. On another one than 127.0.0.1 other hosts can
     * connect too.
     *
     * @throws dev.cloche.base.ClocheException with the code {@code vm.port} if the port of the host cannot be had
     */
    @Incubating
    public PortForward forward(PublishedPort port) {
        return PortForward.open(owner, port);
    }

    /**
     * Starts an interpreter: code runs in it cell by cell, with variables that stay. The sandbox's image is to have the program
     * of the language. Its user, directory and environment are those of the sandbox's commands.
     *
     * <pre>{@code
     * try (Interpreter python = sandbox.interpreter(Language.PYTHON)) {
     *     System.out.println(python.run("6 * 7").text());
     * }
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException with the code {@code interpreter.not-installed} if the image has not the program,
     *     {@code interpreter.not-started} if it does not come up, with {@code sandbox.ended.…} if the sandbox has ended
     */
    @Incubating
    public Interpreter interpreter(Language language) {
        return Interpreters.open(running, language, List.of(), () -> {});
    }

    /**
     * Starts an interpreter that ends this sandbox with it.
     *
     * @param opening is given what is to be done when the interpreter is closed
     */
    Interpreter soleInterpreter(BiFunction<RunningSandbox, Runnable, Interpreter> opening) {
        try {
            return opening.apply(running, this::close);
        } catch (RuntimeException failure) {
            Uninterrupted.after(failure, this::close);
            throw failure;
        }
    }

    /** Returns its files, with the rights of root. */
    public SandboxFiles files() {
        return new SandboxFiles(owner, "", Optional.empty());
    }

    /**
     * Returns what the sandbox is for: the command that was given to {@link SandboxBuilder#command}, or the image's own.
     *
     * <p>When it is started: an {@link IllegalStateException} if this is a connection to a sandbox, and an error with the
     * code {@code sandbox.no-command} if neither names a command.
     */
    public CommandBuilder mainCommand() {
        return new CommandBuilder((options, deadline) ->
                begun(running.execMain(options, deadline), options, deadline).patiently());
    }

    /**
     * Goes on with a command that this or another process has started, and takes it over from the process that reads it.
     *
     * <pre>{@code
     * Execution rest = sandbox.attach(id, stdoutRead, 0);
     * rest.stdout().transferTo(System.out);
     * }</pre>
     *
     * <p>It runs on when this handle is closed, or a wait for it is interrupted: {@link Execution#signal} ends it.
     *
     * <p>The first read of an output whose bytes from there on the guest no longer has throws an error with the code {@code
     * vm.output-gap}; the next one goes on behind the gap.
     *
     * <p>Of a command whose output waits to be acknowledged, {@link Execution#acknowledge} at once what was read: the
     * process that read it may have died before.
     *
     * @param id the command's, from {@link Execution#id()} or {@link #executions()}
     * @param stdoutOffset how much of its standard output was read already
     * @param stderrOffset how much of its standard error was read already
     * @throws dev.cloche.base.ClocheException with the code {@code vm.guest.no-such-execution} if the guest does not know it
     */
    public Execution attach(int id, long stdoutOffset, long stderrOffset) {
        AttachPoint from = new AttachPoint(stdoutOffset, stderrOffset);
        return executions.add(
                new Execution(owner, running.attach(id, from, Deadline.after(ANSWER_LIMIT)), Deadline.none(), false));
    }

    /** Returns the commands that run, and those that have ended and are kept, in the order of their start. */
    public List<ExecutionInfo> executions() {
        return running.ask(guest -> guest.executions(Deadline.after(ANSWER_LIMIT)));
    }

    /**
     * Has the guest forget a command that has ended, and its output.
     *
     * @throws dev.cloche.base.ClocheException with the code {@code vm.guest.still-running} if it has not ended
     */
    public void release(int id) {
        running.ask(guest -> {
            guest.release(id, Deadline.after(ANSWER_LIMIT));
            return id;
        });
    }

    /** Returns what the sandbox uses at present. */
    public GuestMetrics metrics() {
        return running.ask(guest -> guest.metrics(Deadline.after(ANSWER_LIMIT)));
    }

    /**
     * Prepares the command as {@link #mainCommand} does, as the one that the sandbox ends with: also after {@link #detach}, and
     * if this process is gone by then.
     */
    public CommandBuilder finalCommand() {
        return new CommandBuilder((options, deadline) ->
                new Execution(owner, running.execFinal(options, deadline), deadline, false).patiently());
    }

    /**
     * Waits for {@code main} and ends the sandbox with it, so that its record tells how {@code main} ended.
     *
     * @throws dev.cloche.base.ClocheException as {@link Execution#await()} does
     */
    public ExitStatus finishWith(Execution main) {
        ExitStatus exit = main.await();
        running.finish(exit);
        return exit;
    }

    /**
     * Keeps it as it is now, memory and disk, under a name, for {@link Cloche#restore}. It is halted for a moment and goes on.
     *
     * <pre>{@code
     * System.out.println(sandbox.snapshot("prepared").pause());
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException as {@link Snapshots#create} does
     */
    public SnapshotInfo snapshot(String name) {
        return SnapshotInfo.of(cloche.sandboxRoom().snapshots().take(running.id(), name, Deadline.none()));
    }

    /** Makes an image of it; {@link #commit(String, String)} without a message. */
    @Incubating
    public LocalImage commit(String image) {
        return commit(image, "");
    }

    /**
     * Makes an image of it: its own image and one more layer, of what has changed in its root file system, with owners, modes,
     * times and extended attributes. The same changes make the same image, with the same digest. Sandboxes of it begin with
     * these files and with none of the memory, unlike those of a {@link #snapshot}.
     *
     * <pre>{@code
     * sandbox.exec("apt-get", "install", "-y", "curl");
     * sandbox.commit("tools:1", "with curl");
     * cloche.sandbox("tools:1").start();
     * }</pre>
     *
     * <p>What is mounted is not in it, nor {@code /dev}, {@code /proc}, {@code /sys} and {@code /run} with its secrets, nor
     * sockets, nor {@code hosts}, {@code hostname}, {@code resolv.conf} and {@code machine-id} of {@code /etc}. A file that has
     * several names becomes several files. If its writable layer is on a disk, writes in it wait meanwhile; if that is in memory,
     * each file is as it is when it is read. Of two commits at once one waits for the other.
     *
     * @param image what it is called, as in Docker; a name that means another image is moved
     * @param message what the history of the image says of the layer; may be empty
     * @throws dev.cloche.base.ClocheException with {@code image.bad-reference} if the name is none or has a digest, with {@code
     *     image.commit-failed} if the changes make no layer or there is no room for it, with {@code vm.older-agent} if the VM
     *     began with a version of Cloche that could not do this; nothing is kept of what fails
     */
    @Incubating
    public LocalImage commit(String image, String message) {
        return cloche.images().local(running.commit(ImageReference.parse(image), message, Deadline.none()));
    }

    /**
     * Makes children that begin where it is now, memory and disk; nothing that runs in it runs in them. It is halted for a
     * moment and goes on. Short for {@code forking().start(count)}.
     *
     * @throws dev.cloche.base.ClocheException as {@link ForkBuilder#start} does
     */
    public Fork fork(int count) {
        return forking().start(count);
    }

    /** Returns children to be made, with a choice of how. */
    public ForkBuilder forking() {
        return new ForkBuilder(cloche, running::id);
    }

    /**
     * Ends the sandbox, also one that was connected to: its processes get SIGTERM, and SIGKILL after {@code grace}. Returns
     * when its end is recorded.
     */
    public void stop(Duration grace) {
        running.stop(grace, Deadline.none());
    }

    /**
     * Lets a sandbox that this process started outlive it, and lets go of it: nothing more can be done by this handle. Of a
     * connection, short for {@link #close()}.
     *
     * <pre>{@code
     * Sandbox sandbox = cloche.sandbox("debian").name("build").start();
     * sandbox.detach();
     * // later, here or in another process:
     * cloche.connect("build").exec("make");
     * }</pre>
     */
    public void detach() {
        letGo();
        running.detach();
    }

    /**
     * Ends a sandbox that this process started, at once; lets go of one that was connected to. An ephemeral sandbox is
     * gone when this returns. Closing twice does nothing.
     *
     * <p>Of one that was connected to, the open {@link Execution}s that were begun by this handle are closed first, all at
     * once: each ends its command as {@link Execution#close} does, unless that was left running.
     */
    @Override
    public void close() {
        letGo();
        running.close();
    }

    /** Ends the ports of this handle, and commands of a connection; where the sandbox ends, its commands do with it. */
    private void letGo() {
        forwards.close();
        if (running.timings().isEmpty()) {
            executions.close();
        }
    }
}
