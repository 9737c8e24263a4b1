package dev.cloche.interpreter.driver;

import dev.cloche.base.Deadline;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Output;
import dev.cloche.vm.TerminalSize;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A shell as a process of this host, in a session of its own as in a guest.
 *
 * @param patience for which it gets no input, unless a signal comes before
 */
record ShellOnHost(Process process, Duration patience, CountDownLatch signalled) implements GuestExecution {
    private static final int SIGNALLED = 128;

    /** @param directory has the program {@code sh}, before all others of that name */
    static ShellOnHost start(Path directory) {
        return start(directory, Duration.ZERO);
    }

    /** Starts one that gets a signal before the input that came before it, if there is one by then. */
    static ShellOnHost late(Path directory) {
        return start(directory, Duration.ofMillis(500));
    }

    private static ShellOnHost start(Path directory, Duration patience) {
        // What its starter ignores, a shell cannot trap; a build in the background has been started so.
        ProcessBuilder builder = new ProcessBuilder(
                        "env",
                        "--default-signal=INT",
                        "setsid",
                        directory.resolve("sh").toString())
                .directory(directory.toFile());
        builder.environment().merge("PATH", directory.toString(), (path, own) -> own + ":" + path);
        builder.environment().put("LC_ALL", "C.UTF-8");
        try {
            return new ShellOnHost(builder.start(), patience, new CountDownLatch(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int id() {
        return processId();
    }

    @Override
    public int processId() {
        return (int) process.pid();
    }

    @Override
    public OutputStream stdin() {
        try {
            var _ = signalled.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
        return process.getOutputStream();
    }

    @Override
    public InputStream stdout() {
        return process.getInputStream();
    }

    @Override
    public InputStream stderr() {
        return process.getErrorStream();
    }

    @Override
    public void signal(int signal, Deadline deadline) {
        try {
            var _ = new ProcessBuilder("kill", "-" + signal, "--", "-" + process.pid())
                    .redirectErrorStream(true)
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        signalled.countDown();
    }

    @Override
    public ExitStatus await(Deadline deadline) {
        try {
            if (!process.waitFor(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("it runs on");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        int code = process.exitValue();
        return code > SIGNALLED ? new ExitStatus.Signalled(code - SIGNALLED) : new ExitStatus.Exited(code);
    }

    @Override
    public void close() {
        // What is in its pipes goes with it.
    }

    @Override
    public long stdinOffset() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long offset(Output output) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void acknowledge(Output output, long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void resize(TerminalSize size, Deadline deadline) {
        throw new UnsupportedOperationException();
    }
}
