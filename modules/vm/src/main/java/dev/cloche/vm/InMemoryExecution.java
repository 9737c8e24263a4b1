package dev.cloche.vm;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One program of an in-memory guest, on a virtual thread. */
final class InMemoryExecution {
    /** What the host may send before the program reads. */
    static final int STDIN_WINDOW = 64 * 1024;

    private final int id;
    private final FrameSink port;
    private final Output stdout;
    private final Output stderr;
    private final OutputWindow stdin;
    private final boolean hasStdin;
    private final AtomicInteger signal = new AtomicInteger();
    private final CompletableFuture<ExitStatus> ended = new CompletableFuture<>();
    private final Thread thread;
    private long stdinOffset;

    InMemoryExecution(int id, FrameSink port, boolean hasStdin, int window, BuiltIns.Program program, Caller caller) {
        this.id = id;
        this.port = port;
        this.hasStdin = hasStdin;
        stdout = new Output(false, window);
        stderr = new Output(true, window);
        stdin = new OutputWindow("stdin", STDIN_WINDOW, bytes -> port.sendNow(GuestFrames.stdinCredit(id, bytes)));
        thread = Thread.ofVirtual().name("cloche-in-memory-" + id).unstarted(() -> run(program, caller));
    }

    /** Completes a call with the streams of this execution. */
    interface Caller {
        BuiltIns.Call call(InputStream stdin, OutputStream stdout, OutputStream stderr);
    }

    int id() {
        return id;
    }

    void start() {
        thread.start();
    }

    CompletableFuture<ExitStatus> ended() {
        return ended;
    }

    /** Every signal ends the program, as is the default of most. */
    void signal(int number) {
        signal.compareAndSet(0, number);
        thread.interrupt();
    }

    void arrived(ByteBuffer bytes) {
        long at = stdinOffset;
        stdinOffset += bytes.remaining();
        stdin.arrived(at, bytes);
    }

    void stdinEnds() {
        stdin.end();
    }

    void granted(boolean error, int bytes) {
        (error ? stderr : stdout).stream.granted(bytes);
    }

    /** The connection is gone: the program goes on, and what it writes is dropped. */
    void detach() {
        stdout.detach();
        stderr.detach();
    }

    private void run(BuiltIns.Program program, Caller caller) {
        InputStream in = hasStdin ? stdin : InputStream.nullInputStream();
        ExitStatus status;
        try {
            int code = program.run(caller.call(in, stdout, stderr));
            status = new ExitStatus.Exited(code);
        } catch (InterruptedException | InterruptedIOException e) {
            status = new ExitStatus.Signalled(Math.max(1, signal.get()));
        } catch (IOException e) {
            status = new ExitStatus.Exited(1);
        }
        port.sendNow(GuestFrames.exited(id, status));
        ended.complete(status);
    }

    /** An output stream of the program. */
    private final class Output extends OutputStream {
        private final CreditedStream stream;
        private volatile boolean detached;
        private long offset;

        Output(boolean error, int window) {
            stream = new CreditedStream(
                    port,
                    window,
                    (bytes, at, length) -> {
                        ByteBuffer frame = GuestFrames.output(id, error, offset, bytes, at, length);
                        offset += length;
                        return frame;
                    },
                    () -> {});
        }

        void detach() {
            detached = true;
            stream.fail(new GuestConnectionLostException("the host is gone", null));
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int at, int length) throws IOException {
            if (Thread.interrupted()) {
                throw new InterruptedIOException("killed");
            }
            try {
                if (!detached) {
                    stream.write(bytes, at, length);
                }
            } catch (GuestConnectionLostException gone) {
                detached = true;
            }
        }
    }
}
