package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.base.Uninterrupted;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.Language;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFileOutput;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.WriteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A driver that runs in a sandbox: a program of the language that listens on a socket in a directory of its own, and lives as
 * long as the connection of its owner. Safe for use from several threads.
 */
public final class DriverProcess implements Contexts {
    private static final String RESOURCES = "/META-INF/cloche/interpreter/";
    private static final String LISTENING = "listening\n";
    /** A JVM on a busy host without KVM takes most of a minute. */
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);
    private static final Duration END_LIMIT = Duration.ofSeconds(5);
    private static final int LONGEST_COMPLAINT = 4 << 10;
    private static final int SIGKILL = 9;
    private static final SecureRandom NAMES = new SecureRandom();

    private final RunningSandbox sandbox;
    /** Empty of one that ran before, in a template: that ends with its owner alone. */
    private final Optional<GuestExecution> process;

    private final DialRequest socket;
    private final Connection owner;
    private final String version;
    /** A context that was begun while its driver was taken; for the first who asks for one. */
    private final AtomicReference<@Nullable FutureTask<Connection>> ahead = new AtomicReference<>();

    private DriverProcess(
            RunningSandbox sandbox,
            Optional<GuestExecution> process,
            DialRequest socket,
            Connection owner,
            String version) {
        this.sandbox = sandbox;
        this.process = process;
        this.socket = socket;
        this.owner = owner;
        this.version = version;
    }

    /**
     * Starts a driver.
     *
     * @param driver its file among the resources of this room
     * @param modules what it imports before it listens
     */
    public static DriverProcess start(RunningSandbox sandbox, Language language, String driver, List<String> modules) {
        Deadline deadline = Deadline.after(START_LIMIT);
        String place = "/tmp/cloche-" + HexFormat.of().toHexDigits(NAMES.nextLong());
        String file = place + "-" + driver;
        var _ = sandbox.withFiles(files -> written(files, file, source(driver), deadline));
        GuestExecution process = null;
        try {
            process = exec(sandbox, language, command(language, file, place, modules), deadline);
            awaitListening(process, language, deadline);
            return owned(sandbox, language, Optional.of(process), place, deadline);
        } catch (RuntimeException failure) {
            if (process != null) {
                GuestExecution begun = process;
                Uninterrupted.after(failure, () -> end(begun));
            }
            throw failure;
        } finally {
            remove(sandbox, file);
        }
    }

    /**
     * Takes a driver that runs already and has no owner.
     *
     * @param place the directory that it listens in
     */
    public static DriverProcess running(RunningSandbox sandbox, Language language, String place) {
        // Beside each other: a start of what is ready is as short as the trips to it.
        FutureTask<Connection> context = new FutureTask<>(() -> begun(sandbox, DialRequest.path(socket(place))));
        Thread.ofVirtual().name("cloche-interpreter-ahead").start(context);
        try {
            DriverProcess driver = owned(sandbox, language, Optional.empty(), place, Deadline.after(ANSWER_LIMIT));
            driver.ahead.set(context);
            return driver;
        } catch (RuntimeException failure) {
            letGo(context);
            throw failure;
        }
    }

    private static DriverProcess owned(
            RunningSandbox sandbox,
            Language language,
            Optional<GuestExecution> process,
            String place,
            Deadline deadline) {
        DialRequest socket = DialRequest.path(socket(place));
        Connection owner = connect(sandbox, socket);
        if (!(owner.ask("own", new byte[0], deadline) instanceof Answer.Driver(String version))) {
            owner.close();
            throw new InterpreterException.NotStarted(language, "what listens is no driver.");
        }
        return new DriverProcess(sandbox, process, socket, owner, version);
    }

    /** Returns the words that start a driver. */
    public static List<String> command(Language language, String file, String place, List<String> modules) {
        return Stream.concat(Stream.of(language.program(), file, place), modules.stream())
                .toList();
    }

    /** Returns what a driver listens on. */
    public static String socket(String place) {
        return place + "/socket";
    }

    /** Returns the text of a driver. */
    public static byte[] source(String driver) {
        try (InputStream in = Objects.requireNonNull(DriverProcess.class.getResourceAsStream(RESOURCES + driver))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String written(GuestFiles files, String path, byte[] content, Deadline deadline) {
        try (GuestFileOutput out = files.write(path, WriteOptions.createNew(0644), deadline)) {
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return path;
    }

    /** It is read by then, or of no use. */
    private static void remove(RunningSandbox sandbox, String file) {
        try {
            var _ = sandbox.withFiles(files -> {
                files.remove(file, false, Deadline.after(END_LIMIT));
                return file;
            });
        } catch (ClocheException gone) {
            // With its sandbox.
        }
    }

    private static GuestExecution exec(
            RunningSandbox sandbox, Language language, List<String> words, Deadline deadline) {
        try {
            return sandbox.exec(words, CommandOptions.none(), deadline);
        } catch (SpawnException.CommandNotFound missing) {
            throw new InterpreterException.NotInstalled(language, missing);
        }
    }

    /** Waits for the line by which a driver says that it listens; what it wrote in place of that is told. */
    private static void awaitListening(GuestExecution process, Language language, Deadline deadline) {
        FutureTask<String> complaint = new FutureTask<>(() -> {
            byte[] line = process.stdout().readNBytes(LISTENING.length());
            return new String(line, UTF_8).equals(LISTENING)
                    ? ""
                    : "it ended. " + new String(process.stderr().readNBytes(LONGEST_COMPLAINT), UTF_8).strip();
        });
        Thread.ofVirtual().name("cloche-interpreter-start").start(complaint);
        try {
            String said = complaint.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
            if (!said.isEmpty()) {
                throw new InterpreterException.NotStarted(language, Printable.brief(said, LONGEST_COMPLAINT));
            }
        } catch (TimeoutException late) {
            throw new InterpreterException.NotStarted(language, "it does not listen.");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ClocheException known ? known : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            throw Context.interrupted();
        }
    }

    private static Connection connect(RunningSandbox sandbox, DialRequest socket) {
        return new Connection(sandbox.dial(socket, Deadline.after(ANSWER_LIMIT)), cause -> lost(sandbox, cause));
    }

    /** Tells what the loss of a connection means: the end of the sandbox, where that is what it was. */
    private static RuntimeException lost(RunningSandbox sandbox, IOException cause) {
        try {
            var _ = sandbox.ask(guest -> {
                guest.ping(Deadline.after(END_LIMIT));
                return sandbox;
            });
        } catch (ClocheException ended) {
            return ended;
        }
        return new InterpreterException.ContextEnded("The connection to the context was lost.", cause);
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public Connection context() {
        FutureTask<Connection> begun = ahead.getAndSet(null);
        return begun == null ? begun(sandbox, socket) : awaited(begun);
    }

    private static Connection begun(RunningSandbox sandbox, DialRequest socket) {
        return begun(connect(sandbox, socket));
    }

    /** Begins a context on a stream to a driver. */
    static Connection begun(GuestStream stream, Function<IOException, RuntimeException> lost) {
        return begun(new Connection(stream, lost));
    }

    private static Connection begun(Connection context) {
        Answer answer = context.ask("context", new byte[0], Deadline.after(ANSWER_LIMIT));
        if (answer instanceof Answer.Ready) {
            return context;
        }
        context.close();
        throw answer instanceof Answer.Refused
                ? new InterpreterException.TooManyContexts()
                : new InterpreterException.BrokenAnswer("it answers something else");
    }

    private static Connection awaited(FutureTask<Connection> task) {
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ClocheException known ? known : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            letGo(task);
            throw Context.interrupted();
        }
    }

    /** Ends what a task brings, whenever it does. */
    private static void letGo(FutureTask<Connection> context) {
        if (!context.cancel(true) && context.state() == Future.State.SUCCESS) {
            context.resultNow().close();
        }
    }

    @Override
    public void close() {
        owner.close();
        FutureTask<Connection> unused = ahead.getAndSet(null);
        if (unused != null) {
            letGo(unused);
        }
        process.ifPresent(begun -> Uninterrupted.run(() -> end(begun)));
    }

    private static void end(GuestExecution process) {
        try {
            var _ = process.await(Deadline.after(END_LIMIT));
        } catch (VmException.Deadline late) {
            kill(process);
        } catch (ClocheException gone) {
            // With its sandbox.
        }
        process.close();
    }

    private static void kill(GuestExecution process) {
        try {
            process.signal(SIGKILL, Deadline.after(END_LIMIT));
        } catch (ClocheException gone) {
            // It has ended meanwhile.
        }
    }
}
