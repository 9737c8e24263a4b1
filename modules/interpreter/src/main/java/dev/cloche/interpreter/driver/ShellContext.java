package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.interpreter.CellError;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.protocol.Answer;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Output;
import dev.cloche.vm.VmException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs cells in a shell of its own, by its standard input. Before a cell the shell writes a mark from which on it can be
 * interrupted, and behind it one to each output, which the code of the cell cannot know. Safe for use from several threads.
 */
final class ShellContext implements Context {
    private static final Duration END_LIMIT = Duration.ofSeconds(5);
    private static final int SIGINT = 2;
    private static final int SIGKILL = 9;
    private static final int CHUNK = 64 << 10;
    private static final byte[] CELL = DriverProcess.source("shell.sh");
    private static final byte[] CHECK = DriverProcess.source("shell-check.sh");
    private static final CellError INCOMPLETE = new CellError("ExitStatus", "1", List.of());

    private final Supplier<GuestExecution> starting;
    private final Function<VmException, RuntimeException> lost;
    private final GuestExecution shell;
    private final Inbox inbox = new Inbox();
    private final MarkScan stdout = new MarkScan();
    private final MarkScan stderr = new MarkScan();
    private final ExecutorService writer = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("cloche-shell-in").factory());
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    /** The one that runs; guarded by {@code lock}, and so is what it knows. */
    private @Nullable ShellCell cell;
    /** Of the cell before; guarded by {@code lock}. */
    private int status;
    /** Those that deliver what interrupts the cell; guarded by {@code lock}. */
    private final List<Thread> interrupting = new ArrayList<>();

    /**
     * Starts a shell.
     *
     * @param starting starts the program {@code sh} with a standard input
     * @param lost tells what a failure of the connection to the guest means
     */
    ShellContext(Supplier<GuestExecution> starting, Function<VmException, RuntimeException> lost) {
        this.starting = starting;
        this.lost = lost;
        this.shell = starting.get();
        Thread.ofVirtual().name("cloche-shell").start(this::read);
    }

    @Override
    public void run(byte[] code) {
        for (byte one : code) {
            if (one == 0) {
                throw new InterpreterException.Invalid("The code of a shell has no NUL characters.", "Leave them out.");
            }
        }
        inbox.ask();
        ShellCell next = new ShellCell();
        byte[] text;
        lock.lock();
        try {
            cell = next;
            text = text(code, next, status);
        } finally {
            lock.unlock();
        }
        stdout.seek(next.end());
        stderr.seek(next.beginning(), next.end());
        try {
            writer.execute(() -> write(text));
        } catch (RejectedExecutionException closedBefore) {
            // The inbox says so.
        }
    }

    /** The empty line is for bash: behind a quotation that did not end, it takes the first word for an argument. */
    private static byte[] text(byte[] code, ShellCell cell, int status) {
        ByteArrayOutputStream text = new ByteArrayOutputStream(CELL.length + code.length + CHUNK);
        text.writeBytes("\n{\n_cloche_code=".getBytes(UTF_8));
        text.writeBytes(quoted(code));
        text.writeBytes(("\n_cloche_status=" + status + "\n").getBytes(UTF_8));
        text.writeBytes(CELL);
        text.writeBytes(("_cloche " + cell.beginning() + "\n_cloche_end " + cell.end() + " \"$?\"\n").getBytes(UTF_8));
        text.writeBytes("} 7>&1 8>&2 2>/dev/null\n".getBytes(UTF_8));
        return text.toByteArray();
    }

    /** Quotes bytes, of any encoding: in none that a shell takes is the quotation mark part of another character. */
    private static byte[] quoted(byte[] code) {
        return ("'" + new String(code, ISO_8859_1).replace("'", "'\\''") + "'").getBytes(ISO_8859_1);
    }

    private void write(byte[] text) {
        try {
            OutputStream stdin = shell.stdin();
            stdin.write(text);
            stdin.flush();
        } catch (IOException | VmException gone) {
            // The reader learns of it, and of what was said before.
        }
    }

    @Override
    public Optional<Answer> take(Deadline deadline) throws InterruptedException {
        return inbox.take(deadline);
    }

    @Override
    public void finish() {
        inbox.finish();
    }

    @Override
    public void interrupt() {
        lock.lock();
        try {
            if (cell != null && cell.interrupt()) {
                interrupting.add(signal(SIGINT));
            }
        } finally {
            lock.unlock();
        }
    }

    /** A signal that comes just before a shell starts a program hits the shell alone, which waits for the program's end. */
    @Override
    public void insist() {
        interrupt();
    }

    @Override
    public void kill() {
        var _ = signal(SIGKILL);
    }

    private Thread signal(int number) {
        return Thread.ofVirtual().name("cloche-shell-signal").start(() -> deliver(number));
    }

    private void deliver(int signal) {
        try {
            shell.signal(signal, Deadline.after(END_LIMIT));
        } catch (ClocheException gone) {
            // It has ended.
        }
    }

    /** Asks a shell of its own, in which a cell may run meanwhile. */
    @Override
    public boolean isComplete(byte[] code, Deadline deadline) {
        ByteArrayOutputStream check = new ByteArrayOutputStream(CHECK.length + code.length + CHUNK);
        check.writeBytes("_cloche_text=".getBytes(UTF_8));
        check.writeBytes(quoted(code));
        check.write('\n');
        check.writeBytes(CHECK);
        try (ShellContext reading = new ShellContext(starting, lost)) {
            CellResult answer = new CellRun(
                            reading, Optional.of(Duration.ofNanos(deadline.remainingNanos())), CellListener.NONE)
                    .run(check.toByteArray());
            if (answer.outcome() == CellOutcome.TIMED_OUT) {
                throw new VmException.Deadline("the answer of an interpreter");
            }
            return !answer.error().equals(Optional.of(INCOMPLETE));
        }
    }

    @Override
    public boolean isOver() {
        return inbox.isOver();
    }

    /** Reads to the end of the shell, also what nothing asks for any more. */
    private void read() {
        try {
            Thread errors = Thread.ofVirtual()
                    .name("cloche-shell-err")
                    .start(() -> read(Output.STDERR, shell.stderr(), stderr));
            read(Output.STDOUT, shell.stdout(), stdout);
            errors.join();
            int code = switch (shell.await(Deadline.none())) {
                case ExitStatus.Exited(int exit) -> exit;
                case ExitStatus.Signalled(int signal) -> -signal;
            };
            var _ = inbox.put(new Answer.Ended(code));
        } catch (VmException failure) {
            inbox.fail(() -> lost.apply(failure));
        } catch (InterruptedException never) {
            inbox.fail(CellText::closed);
        } finally {
            ended.countDown();
            close();
        }
    }

    private void read(Output output, InputStream in, MarkScan scan) {
        byte[] chunk = new byte[CHUNK];
        try {
            for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                for (MarkScan.Part part : scan.scan(chunk, length)) {
                    tell(output, part);
                }
            }
            for (MarkScan.Part part : scan.rest()) {
                tell(output, part);
            }
        } catch (IOException failure) {
            inbox.fail(() -> new InterpreterException.ContextEnded("The context was lost.", failure));
        } catch (VmException failure) {
            inbox.fail(() -> lost.apply(failure));
        } catch (InterruptedException never) {
            inbox.fail(CellText::closed);
        }
    }

    private void tell(Output output, MarkScan.Part part) throws InterruptedException {
        switch (part) {
            case MarkScan.Part.Text(byte[] bytes) -> {
                if (output == Output.STDERR) {
                    complain(bytes);
                }
                put(new Answer.Written(output, bytes));
            }
            case MarkScan.Part.Mark(String name, String word) -> {
                Optional<ShellCell> over = marked(output, name, word);
                if (over.isPresent()) {
                    end(over.get());
                }
            }
        }
    }

    private void complain(byte[] text) {
        lock.lock();
        try {
            if (cell != null) {
                cell.complain(text);
            }
        } finally {
            lock.unlock();
        }
    }

    /** What is written between two cells comes with the next one. */
    private void put(Answer answer) throws InterruptedException {
        while (!inbox.put(answer) && !inbox.isOver()) {
            inbox.awaitQuestion();
        }
    }

    /** Notes a mark; returns the cell that is over with it. */
    private Optional<ShellCell> marked(Output output, String name, String word) {
        lock.lock();
        try {
            ShellCell running = cell;
            if (running == null) {
                return Optional.empty();
            }
            if (name.equals(running.beginning())) {
                if (running.begin()) {
                    interrupting.add(signal(SIGINT));
                }
                return Optional.empty();
            }
            running.end(output, word);
            (output == Output.STDOUT ? stdout : stderr).seek();
            if (!running.isOver()) {
                return Optional.empty();
            }
            cell = null;
            status = running.status().orElse(0);
            return Optional.of(running);
        } finally {
            lock.unlock();
        }
    }

    private void end(ShellCell over) throws InterruptedException {
        for (Thread interrupt : interrupts()) {
            // What comes too late for this cell is not to hit the next one.
            var _ = interrupt.join(END_LIMIT);
        }
        if (over.status().isEmpty()) {
            inbox.fail(() -> new InterpreterException.BrokenAnswer("its end has no status"));
            return;
        }
        Optional<CellError> error = over.error();
        if (error.isPresent()) {
            put(new Answer.Thrown(error.get(), false));
        }
        put(new Answer.Done(over.wasInterrupted()));
    }

    private List<Thread> interrupts() {
        lock.lock();
        try {
            List<Thread> all = List.copyOf(interrupting);
            interrupting.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        inbox.fail(CellText::closed);
        writer.shutdownNow();
        if (closing.compareAndSet(false, true)) {
            Thread.ofVirtual().name("cloche-shell-end").start(this::end);
        }
    }

    private void end() {
        try {
            deliver(SIGKILL);
            var _ = ended.await(END_LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException never) {
            Thread.currentThread().interrupt();
        } finally {
            shell.close();
            closed.countDown();
        }
    }

    /** Waits until it is closed, but no longer than the guest needs for that. */
    void awaitClosed() throws InterruptedException {
        var _ = closed.await(2 * END_LIMIT.toNanos(), TimeUnit.NANOSECONDS);
    }
}
