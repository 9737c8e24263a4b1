package dev.cloche.vm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One program of an in-memory guest, on a virtual thread, and its attachment to a port. A second thread sends what the
 * program writes, as far as the host grants it, and then how it ended.
 */
final class InMemoryExecution {
    /** What the host may send before the program reads. */
    static final int STDIN_WINDOW = 64 * 1024;

    private static final int SIGKILL = 9;
    private static final int MAX_CHUNK = Frame.MAX_PAYLOAD - Long.BYTES;

    private final int id;
    private final ExecRequest request;
    private final Instant startedAt = Instant.now();
    private final Optional<InMemoryTerminal> terminal;
    private final Consumer<InMemoryExecution> onEnd;
    /** When it has ended, and whoever is attached knows. */
    private final CompletableFuture<ExitStatus> settled = new CompletableFuture<>();

    private final InMemoryProgram program;
    private final OutputWindow stdin;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final KeptOutput stdout;
    private final KeptOutput stderr;
    private long stdinOffset;
    private @Nullable ExitStatus end;
    private @Nullable Instant endedAt;
    private boolean forgotten;
    private volatile @Nullable FrameSink reader;

    /** @param onEnd told once, when it has ended and whoever is attached knows */
    InMemoryExecution(
            int id,
            ExecRequest request,
            BuiltIns.Program builtIn,
            InMemoryProgram.Caller caller,
            Consumer<InMemoryExecution> onEnd) {
        this.id = id;
        this.request = request;
        this.onEnd = onEnd;
        stdout = new KeptOutput(request.window());
        stderr = new KeptOutput(request.window());
        stdin = new OutputWindow("stdin", STDIN_WINDOW, bytes -> {
            FrameSink port = reader;
            if (port != null) {
                port.sendNow(GuestFrames.stdinCredit(id, bytes));
            }
        });
        terminal = request.terminal().map(InMemoryTerminal::new);
        InputStream in = request.has(ExecRequest.Option.STDIN) ? stdin : InputStream.nullInputStream();
        InMemoryProgram.Streams streams = new InMemoryProgram.Streams(
                in,
                new InMemoryPipe(lock, changed, stdout, () -> room(stdout)),
                new InMemoryPipe(lock, changed, stderr, () -> room(stderr)),
                terminal);
        program = new InMemoryProgram(id, builtIn, caller, streams, this::ended);
    }

    int id() {
        return id;
    }

    boolean acknowledged() {
        return request.has(ExecRequest.Option.ACKNOWLEDGED);
    }

    boolean main() {
        return request.has(ExecRequest.Option.MAIN);
    }

    boolean init() {
        return request.stopSignal().isPresent();
    }

    /** Starts it, attached to a port. */
    void start(FrameSink port, int answering, int credit) {
        port.sendNow(GuestFrames.started(answering, id, id, STDIN_WINDOW));
        stdout.restart(0, credit);
        stderr.restart(0, credit);
        reader = port;
        program.start();
        Thread.ofVirtual().name("cloche-in-memory-send-" + id).start(this::sendAll);
    }

    CompletableFuture<ExitStatus> settled() {
        return settled;
    }

    /** Every signal ends the program, as is the default of most. */
    boolean signal(int number) {
        lock.lock();
        try {
            if (end != null) {
                return false;
            }
            program.signal(number);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it has a terminal, which has the size then. */
    boolean resize(TerminalSize size) {
        terminal.ifPresent(present -> present.resize(size));
        return terminal.isPresent();
    }

    /** Attaches a port, and tells another that it is not attached any more. */
    Optional<GuestFailure> attach(FrameSink port, int answering, int credit, AttachPoint from) {
        lock.lock();
        try {
            if (forgotten) {
                return Optional.of(GuestFailure.NO_SUCH_EXECUTION);
            }
            if (from.stdout() > stdout.end() || from.stderr() > stderr.end()) {
                return Optional.of(GuestFailure.BAD_REQUEST);
            }
            FrameSink other = reader;
            if (other != null && !other.equals(port)) {
                other.sendNow(GuestFrames.detached(id));
            }
            stdout.restart(from.stdout(), credit);
            stderr.restart(from.stderr(), credit);
            // No credit of a later read may overtake the answer.
            stdin.restart(stdinCredit -> {
                reader = port;
                AttachPoint first = new AttachPoint(stdout.sent(), stderr.sent());
                port.sendNow(GuestFrames.attached(
                        answering, id, HostFrames.flags(request), stdinCredit, stdinOffset, first));
            });
            changed.signalAll();
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** The port no longer reads it: the program goes on. */
    void detach(FrameSink port) {
        ifReader(port, () -> reader = null);
    }

    void arrived(FrameSink port, ByteBuffer bytes) {
        ifReader(port, () -> {
            if (end == null) {
                long at = stdinOffset;
                stdinOffset += bytes.remaining();
                stdin.arrived(at, bytes);
            }
        });
    }

    void stdinEnds(FrameSink port) {
        if (isReader(port)) {
            stdin.end();
        }
    }

    void granted(FrameSink port, Output output, int bytes) {
        ifReader(port, () -> kept(output).granted(bytes));
    }

    void acknowledge(FrameSink port, Output output, long offset) {
        ifReader(port, () -> kept(output).acknowledged(offset));
    }

    /** Does what only the port that it is attached to may have done. */
    private void ifReader(FrameSink port, Runnable deed) {
        lock.lock();
        try {
            if (isReader(port)) {
                deed.run();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Has nobody find it any more, if it has ended. */
    boolean forget() {
        lock.lock();
        try {
            forgotten = end != null;
            changed.signalAll();
            return forgotten;
        } finally {
            lock.unlock();
        }
    }

    /** Ends it, and has nobody find it or hear of its end. */
    void abandon() {
        lock.lock();
        try {
            forgotten = true;
            reader = null;
            if (end == null) {
                program.signal(SIGKILL);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    ExecutionInfo info() {
        lock.lock();
        try {
            return new ExecutionInfo(
                    id,
                    id,
                    request.arguments().getFirst(),
                    request.has(ExecRequest.Option.STDIN),
                    main(),
                    request.terminal().isPresent(),
                    acknowledged(),
                    request.key(),
                    reader != null,
                    startedAt,
                    Optional.ofNullable(end),
                    Optional.ofNullable(endedAt),
                    new ExecutionInfo.Kept(stdout.oldest(), stdout.end()),
                    new ExecutionInfo.Kept(stderr.oldest(), stderr.end()));
        } finally {
            lock.unlock();
        }
    }

    private void ended(ExitStatus status) {
        lock.lock();
        try {
            end = status;
            endedAt = Instant.now();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private int room(KeptOutput kept) {
        if (acknowledged()) {
            return kept.roomIfAcknowledged();
        }
        return reader == null ? request.window() : kept.roomIfSent();
    }

    private void sendAll() {
        while (!forgotten()) {
            if (sendUntilNews()) {
                onEnd.accept(this);
            }
        }
    }

    /** Sends until there is news for the guest, which is told without the lock, or nobody can ask for it any more. */
    private boolean sendUntilNews() {
        lock.lock();
        try {
            while (!forgotten) {
                FrameSink port = reader;
                if (port != null && sendNext(port)) {
                    continue;
                }
                if (settle(port)) {
                    return true;
                }
                changed.awaitUninterruptibly();
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean sendNext(FrameSink port) {
        try {
            // Both in turn, so that neither starves the other.
            boolean some = sendNext(port, Output.STDOUT);
            return sendNext(port, Output.STDERR) || some;
        } catch (GuestConnectionLostException | IOException hostIsGone) {
            detach(port);
            return false;
        }
    }

    private boolean sendNext(FrameSink port, Output output) throws IOException {
        KeptOutput kept = kept(output);
        long at = kept.sent();
        byte[] bytes = kept.next(MAX_CHUNK);
        if (bytes.length > 0) {
            // The program may wait for this room.
            changed.signalAll();
            port.sendPatiently(GuestFrames.output(id, output, at, bytes), () -> true);
        }
        return bytes.length > 0;
    }

    /** Whether there is news for the guest: it has ended, or nobody can ask for it any more. */
    private boolean settle(@Nullable FrameSink port) {
        ExitStatus status = end;
        if (status == null || (port != null && !(stdout.drained() && stderr.drained()))) {
            return false;
        }
        if (port != null) {
            port.sendNow(GuestFrames.exited(id, status));
            reader = null;
            // Whoever was attached has all of a plain one.
            forgotten = !acknowledged();
        }
        return settled.complete(status) || (port != null && forgotten);
    }

    /** Whether nobody can ask for it any more. */
    boolean forgotten() {
        lock.lock();
        try {
            return forgotten;
        } finally {
            lock.unlock();
        }
    }

    boolean isReader(FrameSink port) {
        return port.equals(reader);
    }

    private KeptOutput kept(Output output) {
        return output == Output.STDOUT ? stdout : stderr;
    }
}
