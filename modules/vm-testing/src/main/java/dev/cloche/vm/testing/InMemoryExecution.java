package dev.cloche.vm.testing;

import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.Output;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vmm.channel.FrameSink;
import dev.cloche.vmm.protocol.GuestFrames;
import dev.cloche.vmm.protocol.HostFrames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One program of an in-memory guest, on a virtual thread, and its attachment to a port. A second thread sends what the
 * program writes, as far as the host grants it, and then how it ended.
 */
final class InMemoryExecution {
    private static final int SIGKILL = 9;
    private static final int SIGTERM = 15;

    private final int id;
    private final ExecRequest request;
    private final Instant startedAt = Instant.now();
    private final Optional<InMemoryTerminal> terminal;
    private final Consumer<InMemoryExecution> onEnd;
    /** When it has ended, and the attached port knows. */
    private final CompletableFuture<ExitStatus> settled = new CompletableFuture<>();

    private final InMemoryProgram program;
    private final InMemoryStdin stdin;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final InMemoryOutputs outputs;
    private @Nullable ExitStatus end;
    private @Nullable Instant endedAt;
    private boolean forgotten;
    private volatile @Nullable FrameSink reader;

    /** @param onEnd told once, when it has ended and the attached port knows */
    InMemoryExecution(
            int id,
            ExecRequest request,
            BuiltIns.Program builtIn,
            InMemoryProgram.Caller caller,
            Consumer<InMemoryExecution> onEnd) {
        this.id = id;
        this.request = request;
        this.onEnd = onEnd;
        outputs = new InMemoryOutputs(id, request, changed);
        stdin = new InMemoryStdin(bytes -> {
            FrameSink port = reader;
            if (port != null) {
                port.sendNow(GuestFrames.stdinCredit(id, bytes));
            }
        });
        terminal = request.terminal().map(InMemoryTerminal::new);
        InputStream in = request.has(ExecRequest.Option.STDIN) ? stdin.stream() : InputStream.nullInputStream();
        InMemoryProgram.Streams streams =
                new InMemoryProgram.Streams(in, pipe(Output.STDOUT), pipe(Output.STDERR), terminal);
        program = new InMemoryProgram(id, builtIn, caller, streams, this::ended);
    }

    private InMemoryPipe pipe(Output output) {
        return new InMemoryPipe(lock, changed, outputs.of(output), () -> outputs.room(output, reader != null));
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
        return request.has(ExecRequest.Option.INIT);
    }

    /** Starts it, attached to a port. */
    void start(FrameSink port, int answering, int credit) {
        port.sendNow(GuestFrames.started(answering, id, id, InMemoryStdin.WINDOW));
        var _ = outputs.restart(AttachPoint.BEGINNING, credit);
        reader = port;
        program.start();
        Thread.ofVirtual().name("cloche-in-memory-send-" + id).start(this::sendAll);
    }

    CompletableFuture<ExitStatus> settled() {
        return settled;
    }

    /** Returns how it ended, if it has. */
    Optional<ExitStatus> end() {
        return locked(() -> Optional.ofNullable(end));
    }

    /** Asks it to end, in its own way. */
    void stop() {
        signal(request.stopSignal().orElse(SIGTERM));
    }

    /** Every signal ends the program, as is the default of most. */
    boolean signal(int number) {
        return locked(() -> {
            boolean runs = end == null;
            if (runs) {
                program.signal(number);
            }
            return runs;
        });
    }

    /** Returns whether it has a terminal, which has the size then. */
    boolean resize(TerminalSize size) {
        terminal.ifPresent(present -> present.resize(size));
        return terminal.isPresent();
    }

    /** Attaches a port, and tells another that it is not attached any more. */
    Optional<GuestFailure> attach(FrameSink port, int answering, int credit, AttachPoint from) {
        return locked(() -> {
            if (forgotten) {
                return Optional.of(GuestFailure.NO_SUCH_EXECUTION);
            }
            if (!outputs.reach(from)) {
                return Optional.of(GuestFailure.BAD_REQUEST);
            }
            FrameSink other = reader;
            if (other != null && !other.equals(port)) {
                other.sendNow(GuestFrames.detached(id));
            }
            AttachPoint first = outputs.restart(from, credit);
            // No credit of a later read may overtake the answer.
            stdin.restart((offset, granted) -> {
                reader = port;
                port.sendNow(GuestFrames.attached(answering, id, HostFrames.flags(request), granted, offset, first));
            });
            changed.signalAll();
            return Optional.empty();
        });
    }

    /** The port no longer reads it: the program goes on. */
    void detach(FrameSink port) {
        ifReader(port, () -> reader = null);
    }

    void arrived(FrameSink port, ByteBuffer bytes) {
        ifReader(port, () -> {
            if (end == null) {
                stdin.arrived(bytes);
            }
        });
    }

    void stdinEnds(FrameSink port) {
        if (isReader(port)) {
            stdin.end();
        }
    }

    void granted(FrameSink port, Output output, int bytes) {
        ifReader(port, () -> outputs.of(output).granted(bytes));
    }

    void acknowledge(FrameSink port, Output output, long offset) {
        ifReader(port, () -> outputs.of(output).acknowledged(offset));
    }

    /** Does what only the port that it is attached to may have done. */
    private void ifReader(FrameSink port, Runnable deed) {
        change(() -> {
            if (isReader(port)) {
                deed.run();
            }
        });
    }

    /** Forgets it if it has ended: no caller finds it any more. */
    boolean forget() {
        return locked(() -> {
            forgotten = end != null;
            changed.signalAll();
            return forgotten;
        });
    }

    /** Ends it and forgets it: no caller finds it or hears of its end. */
    void abandon() {
        change(() -> {
            forgotten = true;
            reader = null;
            if (end == null) {
                program.signal(SIGKILL);
            }
        });
    }

    ExecutionInfo info() {
        return locked(() -> new ExecutionInfo(
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
                outputs.of(Output.STDOUT).info(),
                outputs.of(Output.STDERR).info()));
    }

    private void ended(ExitStatus status) {
        change(() -> {
            end = status;
            endedAt = Instant.now();
        });
    }

    private void sendAll() {
        while (!forgotten()) {
            if (sendUntilNews()) {
                onEnd.accept(this);
            }
        }
    }

    /** Sends until there is news for the guest, which is told without the lock, or it is forgotten. */
    private boolean sendUntilNews() {
        return locked(() -> {
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
        });
    }

    private boolean sendNext(FrameSink port) {
        try {
            return outputs.sendNext(port);
        } catch (GuestException.ConnectionLost | IOException hostIsGone) {
            detach(port);
            return false;
        }
    }

    /** Returns whether there is news for the guest: it has ended, or is forgotten. */
    private boolean settle(@Nullable FrameSink port) {
        ExitStatus status = end;
        if (status == null || (port != null && !outputs.drained())) {
            return false;
        }
        if (port != null) {
            port.sendNow(GuestFrames.exited(id, status));
            reader = null;
            // The attached port has all of a plain one.
            forgotten = !acknowledged();
        }
        return settled.complete(status) || (port != null && forgotten);
    }

    /** Returns whether no caller can ask for it any more. */
    boolean forgotten() {
        return locked(() -> forgotten);
    }

    boolean isReader(FrameSink port) {
        return port.equals(reader);
    }

    private void change(Runnable deed) {
        locked(() -> {
            deed.run();
            changed.signalAll();
            return deed;
        });
    }

    private <T> T locked(Supplier<T> body) {
        lock.lock();
        try {
            return body.get();
        } finally {
            lock.unlock();
        }
    }
}
