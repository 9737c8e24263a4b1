import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import jdk.jshell.Diag;
import jdk.jshell.EvalException;
import jdk.jshell.ExpressionSnippet;
import jdk.jshell.JShell;
import jdk.jshell.JShellException;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.Completeness;
import jdk.jshell.UnresolvedReferenceException;
import jdk.jshell.execution.LocalExecutionControl;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;

/**
 * Runs cells of Java for Cloche by the JDK's own JShell: a process that starts a process for each context.
 *
 * Its argument is the directory that it makes and listens in. What is said there stands in docs/interpreter.md of Cloche.
 * Needs a JDK of 17 and nothing else. It ends with the connection of its owner, and all contexts with it.
 */
final class Driver {
    private static final int MOST_CONTEXTS = 32;
    private static final int LONGEST_HEADER = 256 << 10;
    private static final int LONGEST_PAYLOAD = 16 << 20;
    private static final int PIECE = 64 << 10;
    /** How long a connection may say nothing at first: a context of an emulated guest loads its classes meanwhile. */
    private static final long PATIENCE_MS = 30_000;
    private static final Pattern OPERATION = Pattern.compile("\"(?:op|type)\" *: *\"([a-z]+)\"");
    private static final Pattern KEY = Pattern.compile("\"key\" *: *\"([0-9a-f]+)\"");

    private final Path directory;
    private final List<String> command;
    private final Object lock = new Object();
    private final Timer timer = new Timer("patience", true);
    private final Set<Context> contexts = new HashSet<>();
    /** Contexts whose process is to connect, by what it says then. */
    private final Map<String, Context> awaited = new ConcurrentHashMap<>();
    private Context spare;
    private boolean owned;

    private Driver(Path directory, List<String> command) {
        this.directory = directory;
        this.command = command;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 3 && arguments[0].equals("context")) {
            Session.converse(Path.of(arguments[1]), arguments[2]);
            return;
        }
        Path directory = Files.createDirectory(
                Path.of(arguments[0]), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        new Driver(directory, command(directory, compiled(directory))).serve();
    }

    /** Compiles this file once more, for the processes of contexts. */
    private static Path compiled(Path directory) throws IOException {
        Path source = Stream.of(ProcessHandle.current().info().arguments().orElse(new String[0]))
                .filter(word -> word.endsWith(".java"))
                .map(Path::of)
                .findFirst()
                .orElseThrow();
        Path classes = Files.createDirectory(directory.resolve("classes"));
        int status = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-nowarn", "-d", classes.toString(), source.toString());
        if (status != 0) {
            throw new IOException("it does not compile");
        }
        return classes;
    }

    private static List<String> command(Path directory, Path classes) {
        String given = System.getenv("CLASSPATH");
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Djava.awt.headless=true",
                "-Djava.util.secureRandomSeed=true", // Else the seeds of many sandboxes differ by their clocks alone.
                "-cp",
                given == null || given.isBlank() ? classes.toString() : classes + File.pathSeparator + given,
                Driver.class.getName(),
                "context",
                socket(directory).toString());
    }

    private static Path socket(Path directory) {
        return directory.resolve("socket");
    }

    private void serve() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            Path made = directory.resolve("new");
            server.bind(UnixDomainSocketAddress.of(made), 64);
            // Who finds it can connect.
            Files.move(made, socket(directory), StandardCopyOption.ATOMIC_MOVE);
            System.out.println("listening");
            while (true) {
                Link link = new Link(server.accept());
                thread("first", () -> admit(link));
            }
        }
    }

    private static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void admit(Link link) {
        TimerTask silent = new TimerTask() {
            @Override
            public void run() {
                link.close();
            }
        };
        timer.schedule(silent, PATIENCE_MS);
        try {
            Frame first = link.read();
            silent.cancel();
            if (first == null) {
                link.close();
                return;
            }
            Matcher key = KEY.matcher(first.header());
            switch (first.operation()) {
                case "own" -> own(link);
                case "context" -> context(link);
                case "join" -> {
                    Context context = key.find() ? awaited.remove(key.group(1)) : null;
                    if (context == null) {
                        link.close();
                    } else {
                        context.joined(link);
                    }
                }
                default -> link.close();
            }
        } catch (IOException gone) {
            link.close();
        }
    }

    private void own(Link link) throws IOException {
        synchronized (lock) {
            if (owned) {
                link.write(Frame.of("{\"type\":\"refused\"}"));
                link.close();
                return;
            }
            owned = true;
            // Not before: a template has no context, whose seeds would be in each of its sandboxes.
            spare = spare == null ? new Context() : spare;
        }
        try {
            link.write(Frame.of("{\"type\":\"driver\",\"language\":\"java\",\"version\":"
                    + quoted(Runtime.version().toString()) + "}"));
            while (link.read() != null) {
                // It has nothing more to say.
            }
        } catch (IOException gone) {
            // As if it had closed.
        }
        end();
    }

    /** Ends all that there is. */
    private void end() {
        synchronized (lock) {
            contexts.forEach(Context::kill);
            if (spare != null) {
                spare.kill();
            }
        }
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException gone) {
            // Another one has removed it.
        }
        Runtime.getRuntime().halt(0);
    }

    private void context(Link link) throws IOException {
        Context context;
        synchronized (lock) {
            if (contexts.size() == MOST_CONTEXTS) {
                link.write(Frame.of("{\"type\":\"refused\"}"));
                link.close();
                return;
            }
            context = spare == null ? new Context() : spare;
            spare = null;
            contexts.add(context);
            if (owned && contexts.size() < MOST_CONTEXTS) {
                try {
                    spare = new Context();
                } catch (IOException noMemory) {
                    // The one that was asked for is there; a further one tries again.
                }
            }
        }
        context.converse(link);
    }

    private void over(Context context) {
        synchronized (lock) {
            contexts.remove(context);
            if (spare == context) {
                spare = null;
            }
        }
    }

    /** A context as its driver sees it: the process, and the host's connection once one has asked for it. */
    private final class Context {
        private final Process process;
        private final Object turn = new Object();
        private Link host;
        private Link child;
        private Thread answers;
        private boolean running = true; // Until it has said that it is ready.
        private boolean ended;

        Context() throws IOException {
            byte[] bytes = new byte[16];
            new SecureRandom().nextBytes(bytes);
            StringBuilder key = new StringBuilder();
            for (byte one : bytes) {
                key.append(String.format(Locale.ROOT, "%02x", one));
            }
            List<String> words = new ArrayList<>(command);
            words.add(key.toString());
            awaited.put(key.toString(), this);
            process = new ProcessBuilder(words)
                    .redirectInput(new File("/dev/null"))
                    .start();
            thread("end", () -> exited(key.toString()));
        }

        void joined(Link link) {
            synchronized (turn) {
                child = link;
                turn.notifyAll();
            }
        }

        /** Passes on what the host says; the answers go another way. */
        void converse(Link link) {
            try {
                synchronized (turn) {
                    host = link;
                    turn.notifyAll();
                    while (child == null && !ended) {
                        turn.wait();
                    }
                    if (ended) {
                        return;
                    }
                    answers = thread("answers", this::hear);
                }
                thread("output", this::pump);
                for (Frame next = link.read(); next != null; next = link.read()) {
                    switch (next.operation()) {
                        case "kill" -> kill();
                        case "interrupt" -> child.write(next);
                        default -> {
                            synchronized (turn) {
                                running = true;
                                turn.notifyAll();
                            }
                            child.write(next);
                        }
                    }
                }
            } catch (IOException | InterruptedException gone) {
                // The end of either.
            }
            kill();
            link.close();
        }

        private void hear() {
            try {
                for (Frame next = child.read(); next != null; next = child.read()) {
                    synchronized (turn) {
                        collect();
                        host.write(next);
                        if (Set.of("ready", "done", "checked").contains(next.operation())) {
                            running = false;
                        }
                    }
                }
            } catch (IOException gone) {
                // The process has ended, or the host has gone.
            }
            kill();
        }

        /** Passes on what programs write that the context has started, while a cell runs. */
        private void pump() {
            synchronized (turn) {
                try {
                    while (!ended) {
                        if (running) {
                            collect();
                            turn.wait(20);
                        } else {
                            turn.wait();
                        }
                    }
                } catch (IOException | InterruptedException gone) {
                    kill();
                }
            }
        }

        private void collect() throws IOException {
            take(process.getInputStream(), "stdout");
            take(process.getErrorStream(), "stderr");
        }

        private void take(InputStream from, String kind) throws IOException {
            byte[] piece = new byte[PIECE];
            for (int taken = 0; taken < 16 * PIECE; ) {
                int available;
                try {
                    available = from.available();
                } catch (IOException closed) {
                    return;
                }
                int length = available == 0 ? 0 : from.read(piece, 0, Math.min(available, PIECE));
                if (length <= 0) {
                    return;
                }
                host.write(new Frame("{\"type\":\"" + kind + "\"}", java.util.Arrays.copyOf(piece, length)));
                taken += length;
            }
        }

        private void exited(String key) {
            int code;
            try {
                code = process.waitFor();
            } catch (InterruptedException e) {
                return;
            }
            awaited.remove(key);
            over(this);
            try {
                synchronized (turn) {
                    ended = true;
                    turn.notifyAll();
                    while (host == null) {
                        turn.wait();
                    }
                }
                if (answers != null) {
                    answers.join(); // What it has said before its end comes first.
                }
                synchronized (turn) {
                    collect();
                    host.write(Frame.of("{\"type\":\"ended\",\"code\":" + (code > 128 ? 128 - code : code) + "}"));
                }
            } catch (IOException | InterruptedException gone) {
                // The host has gone before.
            }
            host.close();
        }

        void kill() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** What is said at once: a header of JSON, and bytes. */
    private record Frame(String header, byte[] payload) {
        static Frame of(String header) {
            return new Frame(header, new byte[0]);
        }

        String operation() {
            Matcher found = OPERATION.matcher(header);
            return found.find() ? found.group(1) : "";
        }
    }

    /** A connection. Several threads may write, one reads. */
    private static final class Link {
        private final SocketChannel channel;

        Link(SocketChannel channel) {
            this.channel = channel;
        }

        /** Returns the next frame; null at the end. */
        Frame read() throws IOException {
            ByteBuffer lengths = ByteBuffer.allocate(8);
            if (!filled(lengths)) {
                return null;
            }
            int header = lengths.getInt(0);
            int payload = lengths.getInt(4);
            if (header < 0 || header > LONGEST_HEADER || payload < 0 || payload > LONGEST_PAYLOAD) {
                throw new IOException("a frame is too long");
            }
            ByteBuffer head = ByteBuffer.allocate(header);
            ByteBuffer body = ByteBuffer.allocate(payload);
            return filled(head) && filled(body) ? new Frame(new String(head.array(), UTF_8), body.array()) : null;
        }

        private boolean filled(ByteBuffer buffer) throws IOException {
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    return false;
                }
            }
            return true;
        }

        private final Object writing = new Object();

        void write(Frame frame) throws IOException {
            byte[] header = frame.header().getBytes(UTF_8);
            ByteBuffer whole = ByteBuffer.allocate(8 + header.length + frame.payload().length)
                    .putInt(header.length)
                    .putInt(frame.payload().length)
                    .put(header)
                    .put(frame.payload())
                    .flip();
            synchronized (writing) {
                while (whole.hasRemaining()) {
                    channel.write(whole);
                }
            }
        }

        void close() {
            try {
                channel.close();
            } catch (IOException gone) {
                // It is.
            }
        }
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }

    /* What follows runs in the process of a context. */

    /** Shows values, as the value of a cell is shown. For code of cells, which reach it by {@code display}. */
    public static void display(Object[] values) {
        for (Object value : values) {
            Session.current.show(value, Session.textOf(value), false);
        }
    }

    /** Shows text or bytes of a type, such as {@code text/html}. For code of cells, which reach it by {@code displayData}. */
    public static void displayData(String type, Object data) {
        Map<String, Object> forms = new LinkedHashMap<>();
        forms.put("text/plain", type);
        forms.put(type, data);
        Session.current.show(forms, false);
    }

    private static final class Session {
        private static final int MOST_TYPES = 32;
        private static final int MOST_FRAMES = 64;
        private static final int LONGEST_WORDS = 16 << 10;
        private static final Pattern WRAPPER = Pattern.compile("REPL\\.\\$JShell\\$[0-9]+[A-Z]*[.$]");
        private static final List<String> IMPORTS = List.of(
                "java.io.*",
                "java.math.*",
                "java.net.*",
                "java.nio.file.*",
                "java.util.*",
                "java.util.concurrent.*",
                "java.util.function.*",
                "java.util.prefs.*",
                "java.util.regex.*",
                "java.util.stream.*");

        /** Code of cells is in a package, from which this class has no name. */
        private static final List<String> FUNCTIONS = List.of(
                "void clocheCall(String name, Class<?>[] types, Object... values) { try {"
                        + " var function = ClassLoader.getSystemClassLoader().loadClass(\"Driver\").getMethod(name, types);"
                        + " function.setAccessible(true); function.invoke(null, values); }"
                        + " catch (ReflectiveOperationException e) { throw new IllegalStateException(e); } }",
                "void display(Object... values) { clocheCall(\"display\", new Class<?>[] {Object[].class}, (Object) values); }",
                "void displayData(String type, Object data) {"
                        + " clocheCall(\"displayData\", new Class<?>[] {String.class, Object.class}, type, data); }");

        static Session current;

        private final Link link;
        /** Written by a thread of its own: an interrupt of one that writes would close the connection. */
        private final BlockingQueue<Frame> leaving = new ArrayBlockingQueue<>(16);
        private final AtomicInteger unsaid = new AtomicInteger();
        private final Map<String, Place> places = new ConcurrentHashMap<>();
        private final Execution execution = new Execution();
        private JShell shell;
        private SourceCodeAnalysis analysis;
        private Output stdout;
        private Output stderr;
        private int number;
        private volatile boolean running;
        private volatile boolean interrupted;

        /** Where a snippet stands. */
        private record Place(String cell, String source, int firstLine) {}

        private Session(Link link) {
            this.link = link;
        }

        static void converse(Path socket, String key) throws Exception {
            Link link = new Link(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
            link.write(Frame.of("{\"op\":\"join\",\"key\":" + quoted(key) + "}"));
            Session session = new Session(link);
            current = session;
            thread("leaving", session::leave);
            session.begin();
            BlockingQueue<Frame> requests = new ArrayBlockingQueue<>(1);
            thread("requests", () -> session.listen(requests));
            session.say(Frame.of("{\"type\":\"ready\"}"));
            while (true) {
                Frame next = requests.take();
                String code = new String(next.payload(), UTF_8);
                if (next.operation().equals("check")) {
                    session.say(Frame.of("{\"type\":\"checked\",\"complete\":" + session.isComplete(code) + "}"));
                } else {
                    String status = session.run(code);
                    session.flush();
                    session.say(Frame.of("{\"type\":\"done\",\"status\":\"" + status + "\"}"));
                }
            }
        }

        private void begin() {
            PrintStream complaints = System.err;
            Runtime.getRuntime().addShutdownHook(new Thread(this::finish));
            stdout = new Output("stdout");
            stderr = new Output("stderr");
            System.setOut(new PrintStream(stdout, true, UTF_8));
            System.setErr(new PrintStream(stderr, true, UTF_8));
            shell = JShell.builder()
                    .out(System.out)
                    .err(complaints)
                    .in(System.in)
                    .executionEngine(new ExecutionControlProvider() {
                        @Override
                        public String name() {
                            return "cloche";
                        }

                        @Override
                        public ExecutionControl generate(ExecutionEnv environment, Map<String, String> parameters) {
                            return execution;
                        }
                    }, Map.of())
                    .build();
            analysis = shell.sourceCodeAnalysis();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                shell.addToClasspath(entry);
            }
            IMPORTS.forEach(name -> shell.eval("import " + name + ";"));
            FUNCTIONS.forEach(shell::eval);
            thread("flush", () -> {
                while (true) {
                    try {
                        Thread.sleep(50);
                    } catch (InterruptedException e) {
                        return;
                    }
                    flush();
                }
            });
        }

        /** Says what is still to be said, where code has ended this process. */
        private void finish() {
            flush();
            long last = System.nanoTime() + 2_000_000_000L;
            while (unsaid.get() > 0 && System.nanoTime() < last) {
                Thread.onSpinWait();
            }
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        }

        private void flush() {
            stdout.send();
            stderr.send();
        }

        private void leave() {
            try {
                while (true) {
                    link.write(leaving.take());
                    unsaid.decrementAndGet();
                }
            } catch (IOException | InterruptedException gone) {
                end();
            }
        }

        private void listen(BlockingQueue<Frame> requests) {
            try {
                for (Frame next = link.read(); next != null; next = link.read()) {
                    if (next.operation().equals("interrupt")) {
                        if (running) {
                            interrupted = true;
                            thread("interrupt", this::stop);
                        }
                    } else {
                        interrupted = false;
                        running = next.operation().equals("run"); // Its interrupt may come before its code runs.
                        requests.put(next);
                    }
                }
            } catch (IOException | InterruptedException gone) {
                // Its driver has ended.
            }
            end();
        }

        /** Ends this process, also while its code runs, and the programs that it has started. */
        private static void end() {
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            Runtime.getRuntime().halt(0);
        }

        /** Again and again: the code may not run yet. */
        private void stop() {
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
            while (running && interrupted) {
                try {
                    shell.stop();
                    Thread.sleep(100);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        private void say(Frame frame) {
            unsaid.incrementAndGet();
            boolean again = false;
            while (true) {
                try {
                    leaving.put(frame);
                    break;
                } catch (InterruptedException e) {
                    again = true;
                }
            }
            if (again) {
                Thread.currentThread().interrupt();
            }
        }

        private String run(String code) {
            String cell = "<cell " + ++number + ">";
            try {
                String rest = code;
                int line = 1;
                while (!rest.isBlank()) {
                    if (interrupted) {
                        say(interruption());
                        return "interrupted";
                    }
                    SourceCodeAnalysis.CompletionInfo part = analysis.analyzeCompletion(rest);
                    String source = part.source() == null || !isWhole(part.completeness()) ? rest : part.source();
                    String remaining = source.equals(rest) || part.remaining() == null ? "" : part.remaining();
                    if (!source.isBlank() && !evaluated(source, cell, line, remaining.isBlank())) {
                        return interrupted ? "interrupted" : "error";
                    }
                    line += lines(rest) - lines(remaining);
                    rest = remaining;
                }
                return "ok";
            } finally {
                running = false;
            }
        }

        private static boolean isWhole(Completeness completeness) {
            return completeness.isComplete() || completeness == Completeness.CONSIDERED_INCOMPLETE;
        }

        private static int lines(String text) {
            return (int) text.chars().filter(c -> c == '\n').count();
        }

        private boolean isComplete(String code) {
            String rest = code;
            while (!rest.isBlank()) {
                SourceCodeAnalysis.CompletionInfo part = analysis.analyzeCompletion(rest);
                if (part.completeness() == Completeness.DEFINITELY_INCOMPLETE
                        || part.completeness() == Completeness.CONSIDERED_INCOMPLETE) {
                    return false;
                }
                if (part.completeness() == Completeness.UNKNOWN || part.remaining() == null) {
                    return true; // Running it tells what is wrong.
                }
                rest = part.remaining();
            }
            return true;
        }

        /** Evaluates one snippet; returns whether it went well. */
        private boolean evaluated(String source, String cell, int line, boolean isLast) {
            execution.value = null;
            int leading = lines(source.substring(0, source.length() - source.stripLeading().length()));
            for (SnippetEvent event : shell.eval(source)) {
                if (event.causeSnippet() != null) {
                    continue; // One of before, which this one has changed.
                }
                Snippet snippet = event.snippet();
                places.put(snippet.id(), new Place(cell, source, line + leading));
                if (interrupted) {
                    say(interruption());
                    return false;
                }
                if (event.status() == Snippet.Status.REJECTED) {
                    say(rejected(snippet, source, cell, line));
                    return false;
                }
                if (event.exception() != null) {
                    say(thrown(event.exception()));
                    return false;
                }
                if (event.status() == Snippet.Status.RECOVERABLE_DEFINED
                        || event.status() == Snippet.Status.RECOVERABLE_NOT_DEFINED) {
                    System.err.println(waiting(snippet));
                }
                if (isLast && isExpression(snippet) && event.value() != null && !event.value().isEmpty()) {
                    show(execution.value, event.value(), true);
                }
            }
            return true;
        }

        private static Frame interruption() {
            return error("Interrupted", "the cell was interrupted", List.of());
        }

        private String waiting(Snippet snippet) {
            String missing = shell.unresolvedDependencies((jdk.jshell.DeclarationSnippet) snippet)
                    .collect(Collectors.joining(", "));
            return "It cannot be used until this is declared: " + missing;
        }

        private static boolean isExpression(Snippet snippet) {
            return switch (snippet.subKind()) {
                case TEMP_VAR_EXPRESSION_SUBKIND, VAR_VALUE_SUBKIND, ASSIGNMENT_SUBKIND, OTHER_EXPRESSION_SUBKIND -> true;
                default -> false;
            };
        }

        private Frame rejected(Snippet snippet, String source, String cell, int line) {
            StringBuilder words = new StringBuilder();
            List<String> frames = new ArrayList<>();
            for (Diag problem : shell.diagnostics(snippet).filter(Diag::isError).collect(Collectors.toList())) {
                words.append(words.length() == 0 ? "" : "\n").append(problem.getMessage(Locale.ENGLISH));
                int at = (int) Math.max(0, Math.min(problem.getPosition(), source.length()));
                int within = lines(source.substring(0, at));
                if (frames.size() < MOST_FRAMES) {
                    frames.add(frame(cell, line + within, "", lineOf(source, within)));
                }
            }
            return error("CompilationError", words.toString(), frames);
        }

        private static String lineOf(String source, int number) {
            String[] all = source.split("\n", -1);
            return number >= 0 && number < all.length ? all[number].strip() : "";
        }

        private Frame thrown(JShellException exception) {
            String name = exception instanceof EvalException evaluated
                    ? evaluated.getExceptionClassName()
                    : exception.getClass().getName();
            String message = exception instanceof UnresolvedReferenceException unresolved
                    ? waiting(unresolved.getSnippet())
                    : exception.getMessage();
            List<String> frames = new ArrayList<>();
            for (StackTraceElement element : exception.getStackTrace()) {
                String file = element.getFileName() == null ? "" : element.getFileName();
                Place place = places.get(file.startsWith("#") ? file.substring(1) : file);
                if (place == null && !file.startsWith("#") && frames.size() < MOST_FRAMES) {
                    frames.add(frame(file, Math.max(0, element.getLineNumber()), function(element), ""));
                } else if (place != null && frames.size() < MOST_FRAMES) {
                    int within = Math.max(1, element.getLineNumber()) - 1;
                    frames.add(frame(
                            place.cell(),
                            place.firstLine() + within,
                            element.getMethodName().equals("do_it$") || element.getMethodName().isEmpty()
                                    ? ""
                                    : element.getMethodName(),
                            lineOf(place.source().stripLeading(), within)));
                }
            }
            Collections.reverse(frames);
            return error(plain(name), plain(message == null ? "" : message), frames);
        }

        /** Without the names of the classes in which JShell wraps code. */
        private static String plain(String text) {
            return WRAPPER.matcher(text).replaceAll("");
        }

        private static String function(StackTraceElement element) {
            return element.getClassName() + "." + element.getMethodName();
        }

        private static String frame(String file, int line, String function, String source) {
            return "{\"file\":" + quoted(cut(file, 400)) + ",\"line\":" + line + ",\"function\":" + quoted(cut(function, 400))
                    + ",\"source\":" + quoted(cut(source, 400)) + "}";
        }

        private static String cut(String text, int most) {
            return text.length() <= most ? text : text.substring(0, most);
        }

        private static Frame error(String name, String value, List<String> frames) {
            boolean cut = value.length() > LONGEST_WORDS;
            List<String> kept = new ArrayList<>(frames);
            while (true) {
                String header = "{\"type\":\"error\",\"name\":" + quoted(cut(name, 400)) + ",\"value\":"
                        + quoted(cut(value, LONGEST_WORDS)) + ",\"cut\":" + cut + ",\"frames\":[" + String.join(",", kept) + "]}";
                if (header.length() <= LONGEST_HEADER || kept.isEmpty()) {
                    return Frame.of(header);
                }
                kept.remove(0);
                cut = true;
            }
        }

        static String textOf(Object value) {
            try {
                return Execution.text(value);
            } catch (RuntimeException | Error failing) {
                return value.getClass().getName();
            }
        }

        void show(Object value, String text, boolean isResult) {
            Map<String, Object> forms = new LinkedHashMap<>();
            forms.put("text/plain", text);
            byte[] picture = picture(value);
            if (picture != null) {
                forms.put("image/png", picture);
            }
            show(forms, isResult);
        }

        /** By reflection: an image without java.desktop has none. */
        private static byte[] picture(Object value) {
            if (value == null || !value.getClass().getName().startsWith("java.awt.image.")) {
                return null;
            }
            try {
                Class<?> rendered = Class.forName("java.awt.image.RenderedImage");
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                Object written = Class.forName("javax.imageio.ImageIO")
                        .getMethod("write", rendered, String.class, OutputStream.class)
                        .invoke(null, value, "png", out);
                return Boolean.TRUE.equals(written) ? out.toByteArray() : null;
            } catch (ReflectiveOperationException | LinkageError none) {
                return null;
            }
        }

        void show(Map<String, Object> forms, boolean isResult) {
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            List<String> kinds = new ArrayList<>();
            boolean cut = false;
            for (Map.Entry<String, Object> form : forms.entrySet()) {
                byte[] data = form.getValue() instanceof byte[] bytes
                        ? bytes
                        : String.valueOf(form.getValue()).getBytes(UTF_8);
                int room = LONGEST_PAYLOAD - payload.size();
                if (form.getKey().equals("text/plain") && data.length > room) {
                    data = whole(data, room);
                    cut = true;
                }
                if (data.length > room || kinds.size() == MOST_TYPES || !form.getKey().matches("[!-~]{1,100}")) {
                    cut = true;
                    continue;
                }
                kinds.add("[" + quoted(form.getKey()) + "," + data.length + "]");
                payload.writeBytes(data);
            }
            flush();
            say(new Frame(
                    "{\"type\":\"display\",\"result\":" + isResult + ",\"cut\":" + cut + ",\"forms\":["
                            + String.join(",", kinds) + "]}",
                    payload.toByteArray()));
        }

        /** Cuts no character in two. */
        private static byte[] whole(byte[] data, int most) {
            int end = most;
            while (end > 0 && (data[end] & 0xc0) == 0x80) {
                end--;
            }
            return java.util.Arrays.copyOf(data, end);
        }

        /** Collects what is written, and has it sent before it is much or old. */
        private final class Output extends OutputStream {
            private final String kind;
            private final ByteArrayOutputStream collected = new ByteArrayOutputStream();

            Output(String kind) {
                this.kind = kind;
            }

            @Override
            public void write(int one) {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public synchronized void write(byte[] bytes, int from, int length) {
                for (int at = 0; at < length; ) {
                    int count = Math.min(length - at, PIECE - collected.size());
                    collected.write(bytes, from + at, count);
                    at += count;
                    if (collected.size() >= PIECE) {
                        send();
                    }
                }
            }

            synchronized void send() {
                if (collected.size() > 0) {
                    say(new Frame("{\"type\":\"" + kind + "\"}", collected.toByteArray()));
                    collected.reset();
                }
            }
        }

        /** Runs code in this process, and keeps the value itself beside its text. */
        private static final class Execution extends LocalExecutionControl {
            private static final Method CALL;
            private static Method wanted;
            private static volatile String said;
            private static volatile Object latest;
            volatile Object value;

            static {
                try {
                    CALL = Execution.class.getMethod("call");
                    CALL.setAccessible(true);
                } catch (NoSuchMethodException e) {
                    throw new IllegalStateException(e);
                }
            }

            static String text(Object value) {
                return valueString(value);
            }

            /** What the engine calls in place of the code, on the thread that it can stop. */
            public static void call() throws Throwable {
                try {
                    latest = wanted.invoke(null);
                    said = valueString(latest);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }

            @Override
            protected String invoke(Method code) throws Exception {
                if (Session.current.interrupted) {
                    throw new ExecutionControl.StoppedException();
                }
                code.setAccessible(true);
                wanted = code;
                latest = null;
                said = "";
                super.invoke(CALL);
                value = latest;
                return said;
            }
        }
    }
}
