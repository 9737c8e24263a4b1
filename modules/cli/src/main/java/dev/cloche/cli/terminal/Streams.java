package dev.cloche.cli.terminal;

import dev.cloche.Execution;
import dev.cloche.base.ClocheException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Joins this process's standard streams to those of a command in a guest, byte for byte and unbuffered. */
final class Streams {
    private static final int CHUNK = 64 * 1024;
    private static final int SIGPIPE = 13;

    private final Execution execution;
    private final AtomicReference<@Nullable IOException> unwritten = new AtomicReference<>();
    private final Thread stdout;
    private final Thread stderr;

    private Streams(Execution execution) {
        this.execution = execution;
        stdout = pump("stdout", execution.stdout(), new FileOutputStream(FileDescriptor.out));
        stderr = pump("stderr", execution.stderr(), StandardError.shared());
    }

    /** Begins to copy; standard input only if the command has one. */
    static Streams join(Execution execution, boolean withStdin) {
        Streams streams = new Streams(execution);
        if (withStdin) {
            // A read of a terminal or pipe cannot be interrupted: the thread ends with the process.
            Thread.ofPlatform().daemon().name("stdin").start(() -> feed(execution));
        }
        return streams;
    }

    /**
     * Waits until all output has been copied.
     *
     * @throws OutputLost if some of it could not be written although its reader is there, as on a full disk
     */
    void drain() throws InterruptedException {
        stdout.join();
        stderr.join();
        IOException failed = unwritten.get();
        if (failed != null) {
            throw new OutputLost(failed);
        }
    }

    private Thread pump(String name, InputStream from, OutputStream to) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            byte[] chunk = new byte[CHUNK];
            try (from) {
                for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
                    if (!write(to, chunk, n)) {
                        return;
                    }
                }
            } catch (IOException | ClocheException lost) {
                // The guest is gone: the thread that waits for the command reports it.
            }
        });
    }

    /** Returns whether it was written; if not, the command gets SIGPIPE, as from a pipe without a reader. */
    private boolean write(OutputStream to, byte[] chunk, int length) {
        try {
            to.write(chunk, 0, length);
            return true;
        } catch (IOException failed) {
            if (!BrokenPipe.is(failed)) {
                unwritten.compareAndSet(null, failed);
            }
            try {
                execution.signal(SIGPIPE);
            } catch (ClocheException endedMeanwhile) {
                // Then there is no command left to signal.
            }
            return false;
        }
    }

    private static void feed(Execution execution) {
        byte[] chunk = new byte[CHUNK];
        try (OutputStream to = execution.stdin();
                InputStream from = new FileInputStream(FileDescriptor.in)) {
            for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
                to.write(chunk, 0, n);
                to.flush();
            }
        } catch (IOException | ClocheException ended) {
            // The command no longer reads, or has ended; the thread that waits for it reports a lost guest.
        }
    }
}
