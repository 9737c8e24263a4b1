package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.machine.RunningMachine;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PublishedPort;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A named machine that runs, as one connection sees it. Closing it lets go of the machine, which runs on. Safe for use from
 * several threads; commands run side by side.
 *
 * <pre>{@code
 * try (Machine machine = cloche.machines().start("dev")) {
 *     System.out.println(machine.exec("uptime").stdoutText());
 * }
 * }</pre>
 */
public final class Machine implements AutoCloseable {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

    private final RunningMachine running;
    private final GuestOwner owner;
    private final OpenExecutions executions = new OpenExecutions();
    private final PublishedPorts.Forwards forwards;

    Machine(RunningMachine running) {
        this.running = running;
        this.owner = GuestOwner.of(running);
        this.forwards = new PublishedPorts.Forwards(owner);
    }

    public String name() {
        return running.name().value();
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
     * Returns a command to start: as root in {@code /}, unless the builder is told otherwise, with the environment of the image
     * and of the machine.
     *
     * @param words the program, searched in the {@code PATH} of its environment, and its arguments; no shell reads them
     */
    public CommandBuilder command(String... words) {
        List<String> command = List.of(words);
        return new CommandBuilder((options, deadline) -> {
            ExecRequest request = request(command, options);
            return executions.add(new Execution(
                    owner, running.ask(guest -> guest.exec(request, deadline)), deadline, !options.acknowledged()));
        });
    }

    private ExecRequest request(List<String> words, CommandOptions options) {
        Map<String, String> environment = new LinkedHashMap<>(running.environment());
        environment.putAll(options.environment());
        ExecRequest request = ExecRequest.of(words.toArray(String[]::new))
                .withEnvironment(environment)
                .withUser(options.user().orElse(""))
                .withWorkingDirectory(options.workingDirectory().orElse("/"), false)
                .withLimits(options.limits());
        request = options.terminal().map(request::withTerminal).orElse(request);
        request = options.acknowledged() ? request.acknowledged() : request;
        return options.stdin() ? request.withStdin() : request;
    }

    /**
     * Waits until something in the machine is ready.
     *
     * <pre>{@code
     * try (Machine web = cloche.machines().start("web")) {
     *     web.await(Ready.port(80), Duration.ofMinutes(1));
     * }
     * }</pre>
     *
     * @param condition not {@link Ready#log}: what the programs of a machine write is not kept here
     * @param longest how long to wait
     * @throws dev.cloche.base.ClocheException with the code {@code machine.not-ready} if that time passes, with {@code
     *     machine.state} if the machine ends before, or with {@code machine.invalid} if it can never be asked
     */
    public void await(Ready condition, Duration longest) {
        new ReadyWait(ReadySubject.of(this, running), Deadline.after(longest)).until(condition);
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
     * try (GuestStream redis = machine.dial(6379)) {
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
     * GuestStream docker = machine.dial("/run/docker.sock");
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
     * GuestStream web = machine.dial(DialRequest.port(8000).withPatience(Duration.ofSeconds(10)));
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException with the code {@code vm.connection-refused} if nothing listens there in time,
     *     with {@code vm.older-agent} if the VM began with a version of Cloche that could not do this, with {@code machine.state} if the
     *     machine has ended
     */
    @Incubating
    public GuestStream dial(DialRequest request) {
        return running.ask(guest -> guest.dial(request, Deadline.after(ANSWER_LIMIT.plus(request.patience()))));
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

    /** Returns its files, with the rights of root. */
    public SandboxFiles files() {
        return new SandboxFiles(owner, "", Optional.empty());
    }

    /** Returns what the machine uses at present. */
    public GuestMetrics metrics() {
        return running.ask(guest -> guest.metrics(Deadline.after(ANSWER_LIMIT)));
    }

    /**
     * Lets go of the machine, which runs on. The open {@link Execution}s that were begun by this handle are closed first, all
     * at once: each ends its command as {@link Execution#close} does, unless that was left running. Closing twice does nothing.
     */
    @Override
    public void close() {
        forwards.close();
        executions.close();
        running.close();
    }
}
