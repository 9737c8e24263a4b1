package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.ChannelStream;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.vm.Guest;
import dev.cloche.vm.Output;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A driver as a process of this host. */
final class DriverOnHost implements AutoCloseable {
    static final Duration LONG = Duration.ofMinutes(1);

    private final List<Connection> open = new ArrayList<>();
    private final Process process;
    private final Path place;
    private final Path errors;

    private DriverOnHost(Process process, Path place, Path errors) {
        this.process = process;
        this.place = place;
        this.errors = errors;
    }

    /** Starts one that has an owner. */
    static DriverOnHost start(
            Path directory, String program, String driver, List<String> modules, Map<String, String> environment)
            throws IOException {
        Path place = directory.resolve("d");
        Path file = Files.write(directory.resolve(driver), DriverProcess.source(driver));
        Path errors = directory.resolve("errors");
        List<String> words = new ArrayList<>(List.of(program, file.toString(), place.toString()));
        words.addAll(modules);
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        DriverOnHost started = new DriverOnHost(process, place, errors);
        assertThat(process.inputReader().readLine()).isEqualTo("listening");
        Files.delete(file);
        assertThat(Files.getPosixFilePermissions(place)).hasSize(3);
        assertThat(started.connect().ask("own", new byte[0], Deadline.after(LONG)))
                .isInstanceOf(Answer.Driver.class);
        return started;
    }

    /** Returns whether a program answers with 0. */
    static boolean succeeds(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    long pid() {
        return process.pid();
    }

    /** Returns a connection of which nothing has been said yet. */
    SocketChannel connectSilently() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(place.resolve("socket")));
    }

    Connection connect() throws IOException {
        SocketChannel socket = connectSilently();
        Connection connection = new Connection(
                new ChannelStream(socket, socket),
                cause -> new InterpreterException.ContextEnded("The connection was lost.", cause));
        open.add(connection);
        return connection;
    }

    /** Returns a guest of which only this driver is there, and has each connection to it kept in a list. */
    Guest guest(List<String> dialled) {
        return (Guest) Proxy.newProxyInstance(
                Guest.class.getClassLoader(), new Class<?>[] {Guest.class}, (_, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("dial");
                    dialled.add(arguments[0].toString());
                    SocketChannel socket = connectSilently();
                    return new ChannelStream(socket, socket);
                });
    }

    /** Waits until no context is left. */
    void awaitNoContext() {
        await().until(() -> process.descendants().noneMatch(ProcessHandle::isAlive));
    }

    Connection context() throws IOException {
        Connection context = connect();
        assertThat(context.ask("context", new byte[0], Deadline.after(LONG))).isEqualTo(new Answer.Ready());
        return context;
    }

    static CellResult run(Connection context, String code) {
        return run(context, code, LONG);
    }

    static CellResult run(Context context, String code, Duration timeout) {
        return new CellRun(context, Optional.of(timeout), CellListener.NONE).run(code.getBytes(UTF_8));
    }

    /** Runs what does not stop when it is interrupted, so that its context is killed. */
    static CellResult killed(Context context, String code, Duration timeout) {
        CellResult result = new CellRun(context, Optional.of(timeout), CellListener.NONE, Duration.ofSeconds(1))
                .run(code.getBytes(UTF_8));
        assertThat(result.outcome()).isEqualTo(CellOutcome.TIMED_OUT);
        return result;
    }

    /**
     * Runs a cell that says {@code on} and then does not end, so that its timeout ends it: with a longer one if it did not get so
     * far.
     */
    static CellResult timedOut(Connection context, String code, Duration timeout) {
        CellResult result = run(context, code, timeout);
        assertThat(result.outcome()).as(code).isEqualTo(CellOutcome.TIMED_OUT);
        return result.contextLost() || result.stdout().startsWith("on\n") || timeout.compareTo(LONG) > 0
                ? result
                : timedOut(context, code, timeout.multipliedBy(2));
    }

    static String text(Connection context, String code) {
        return run(context, code).text();
    }

    /** Interrupts a cell that does not end, as soon as it is run. */
    static void interruptAtTheBeginning(Connection context, String endless) throws InterruptedException {
        context.run(endless.getBytes(UTF_8));
        context.interrupt();
        assertThat(context.take(Deadline.after(LONG))).get().isInstanceOf(Answer.Thrown.class);
        assertThat(context.take(Deadline.after(LONG))).contains(new Answer.Done(true));
        context.finish();
    }

    static boolean isComplete(Connection context, String code) {
        return context.ask("check", code.getBytes(UTF_8), Deadline.after(LONG))
                        instanceof Answer.Checked(boolean complete)
                && complete;
    }

    /** Ends all but the connection of its owner. */
    void closeContexts() {
        List<Connection> contexts = open.subList(1, open.size());
        contexts.forEach(Connection::close);
        contexts.clear();
    }

    /** Ends with its owner, and leaves nothing. */
    @Override
    public void close() {
        open.forEach(Connection::close);
        try {
            assertThat(process.waitFor()).isZero();
            assertThat(process.getInputStream().readAllBytes()).isEmpty();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        assertThat(place).doesNotExist();
    }

    /** Kills it; what it leaves is removed. */
    void kill() throws IOException, InterruptedException {
        process.destroyForcibly().waitFor();
        open.forEach(Connection::close);
        try (Stream<Path> files = Files.walk(place)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> assertThat(file.toFile().delete()).isTrue());
        }
    }

    /** Kills it while a cell runs on that has written the numbers of processes on a line, and waits for the end of these. */
    void killDuring(String cell) throws Exception {
        Connection context = context();
        StringBuilder written = new StringBuilder();
        CompletableFuture<String> line = new CompletableFuture<>();
        CellListener listener = new CellListener() {
            @Override
            public void output(Output output, byte[] piece) {
                if (written.append(new String(piece, UTF_8)).indexOf("\n") >= 0) {
                    line.complete(written.toString());
                }
            }
        };
        FutureTask<CellResult> run =
                new FutureTask<>(() -> new CellRun(context, Optional.of(LONG), listener).run(cell.getBytes(UTF_8)));
        Thread.ofVirtual().start(run);
        List<ProcessHandle> running = Stream.of(
                        line.get(1, TimeUnit.MINUTES).strip().split(" "))
                .map(number -> ProcessHandle.of(Long.parseLong(number)).orElseThrow())
                .toList();
        kill();
        try {
            running.forEach(one -> await(one.toString()).until(() -> !one.isAlive()));
        } finally {
            running.forEach(ProcessHandle::destroyForcibly);
        }
        assertThatThrownBy(run::get).hasCauseInstanceOf(InterpreterException.ContextEnded.class);
    }

    /** Returns what it wrote to its standard error. */
    String errors() throws IOException {
        return Files.readString(errors);
    }
}
