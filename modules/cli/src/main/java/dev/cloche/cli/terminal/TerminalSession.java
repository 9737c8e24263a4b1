package dev.cloche.cli.terminal;

import dev.cloche.Execution;
import dev.cloche.base.ClocheException;
import dev.cloche.linux.Terminal;
import dev.cloche.linux.WindowSize;
import dev.cloche.vm.ExitStatus;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * The terminal of this process stands for the terminal of a command in a guest: keys, output and window size are passed on
 * as they are, until the command ends or the detach keys are typed.
 */
public final class TerminalSession {
    private static final int CHUNK = 16 * 1024;
    private static final WindowSize USUAL = new WindowSize(24, 80);
    private static final Signal WINDOW_CHANGED = new Signal("WINCH");

    private final Execution execution;
    private final Terminal terminal;
    private final DetachFilter keys;
    private final CompletableFuture<Optional<ExitStatus>> outcome = new CompletableFuture<>();

    private TerminalSession(Execution execution, Terminal terminal, DetachKeys keys) {
        this.execution = execution;
        this.terminal = terminal;
        this.keys = new DetachFilter(keys);
    }

    /** Returns the size to begin with; a terminal that does not know its own is an ordinary one. */
    public static WindowSize size(Terminal terminal) {
        WindowSize size = terminal.size();
        return size.rows() > 0 && size.columns() > 0 ? size : USUAL;
    }

    /**
     * Passes bytes on until the command ends, and returns how it ended; empty if it was detached from.
     *
     * @param withStdin whether what is typed goes to the command
     */
    static Optional<ExitStatus> pass(Execution execution, Terminal terminal, boolean withStdin, DetachKeys keys)
            throws InterruptedException {
        return new TerminalSession(execution, terminal, keys).pass(withStdin);
    }

    private Optional<ExitStatus> pass(boolean withStdin) throws InterruptedException {
        SignalHandler before =
                Signal.handle(WINDOW_CHANGED, signal -> Thread.ofVirtual().start(this::resize));
        try (Terminal.RawMode _ = terminal.raw()) {
            // It may have changed since the command was started.
            resize();
            Thread output = Thread.ofPlatform().daemon().name("terminal-output").start(this::copyOutput);
            if (withStdin) {
                // A read of a terminal cannot be interrupted: the thread ends with the process.
                Thread.ofPlatform().daemon().name("terminal-input").start(this::copyInput);
            }
            Thread.ofVirtual().name("terminal-end").start(() -> awaitEnd(output));
            return outcome.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ClocheException known) {
                throw known;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            Signal.handle(WINDOW_CHANGED, before);
        }
    }

    private void awaitEnd(Thread output) {
        try {
            ExitStatus exit = execution.await();
            output.join();
            outcome.complete(Optional.of(exit));
        } catch (ClocheException | InterruptedException failed) {
            outcome.completeExceptionally(failed);
        }
    }

    private void resize() {
        try {
            WindowSize size = size(terminal);
            execution.resize(size.rows(), size.columns());
        } catch (ClocheException endedMeanwhile) {
            // The thread that waits for the command reports how it ended.
        }
    }

    private void copyOutput() {
        byte[] chunk = new byte[CHUNK];
        try (InputStream from = execution.stdout();
                OutputStream to = new FileOutputStream(FileDescriptor.out)) {
            for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
                to.write(chunk, 0, n);
            }
        } catch (IOException | ClocheException lost) {
            // The guest or the terminal is gone: the thread that waits for the command reports the guest's end.
        }
    }

    private void copyInput() {
        byte[] chunk = new byte[CHUNK];
        try (InputStream from = new FileInputStream(FileDescriptor.in)) {
            OutputStream to = execution.stdin();
            for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
                to.write(keys.pass(chunk, n));
                if (keys.detached()) {
                    // Its input is not closed, for the command would read its end.
                    execution.leaveRunning();
                    // Its answer comes behind what was typed before the keys, which the end of the connection would
                    // drop.
                    resize();
                    outcome.complete(Optional.empty());
                    return;
                }
            }
            to.close();
        } catch (IOException | ClocheException ended) {
            // The command no longer reads, or has ended.
        }
    }
}
