package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.base.SharedInput;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Output;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A command that runs in a sandbox for as long as its caller wants it: closing this, or interrupting {@link #await()}, ends it,
 * unless it was {@linkplain #leaveRunning left running}. Safe for use from several threads; each stream is for one thread at
 * a time.
 *
 * <pre>{@code
 * try (Execution execution = sandbox.command("sort").stdin(true).start()) {
 *     try (OutputStream stdin = execution.stdin()) {
 *         stdin.write("b\na\n".getBytes());
 *     }
 *     execution.stdout().transferTo(System.out);
 *     execution.await();
 * }
 * }</pre>
 *
 * <p>Of each output 256 KiB wait on the host and a pipe full in the guest; a command whose output is not read is then
 * blocked, and delays no other.
 *
 * <p>To outlive its caller on purpose is what {@linkplain Processes#command durable commands} are for.
 */
public final class Execution implements AutoCloseable {
    static final int SIGKILL = 9;
    private static final Duration SIGNAL_LIMIT = Duration.ofSeconds(10);
    /** How often a wait looks whether its guest is hindered, and how often in a row until it gives up. */
    private static final Duration LOOK = Duration.ofSeconds(2);

    private static final int LOOKS_IN_VAIN = 5;
    private static final int RING = 1 << 20;
    private static final int LEAST_RING = 4 << 10;
    private static final int MOST_RING = 64 << 20;

    /** What becomes of a {@link #reader} that was too slow for the bytes that are kept. */
    @Incubating
    public enum Lag {
        /** Its next read throws {@link GuestException.OutputGap}, once; the one after goes on behind the gap. */
        IS_TOLD,
        /** Its stream ends there. */
        ENDS
    }

    private final GuestOwner sandbox;
    private final GuestExecution guest;
    private final SharedInput stdout;
    private final SharedInput stderr;
    private final Deadline deadline;
    private volatile int ring = RING;
    private volatile @Nullable ExitStatus status;
    private volatile boolean endsWithUs;
    private volatile boolean patient;
    private volatile Runnable whenOver = () -> {};

    /** @param endsWithUs whether its caller is all that it runs for */
    Execution(GuestOwner sandbox, GuestExecution guest, Deadline deadline, boolean endsWithUs) {
        this.sandbox = sandbox;
        this.guest = guest;
        stdout = shared(Output.STDOUT, guest.stdout());
        stderr = shared(Output.STDERR, guest.stderr());
        this.deadline = deadline;
        this.endsWithUs = endsWithUs;
    }

    private SharedInput shared(Output output, InputStream stream) {
        String name =
                (output == Output.STDOUT ? "stdout" : "stderr") + " of execution " + Integer.toUnsignedString(id());
        return new SharedInput(
                stream,
                () -> guest.offset(output),
                (offset, missing) -> new GuestException.OutputGap(name, offset, missing));
    }

    /** For the command that a sandbox is for, which would end with the wait: waits until a hindered guest goes on. */
    Execution patiently() {
        patient = true;
        return this;
    }

    /** Told when this is closed, or has seen the command's end; perhaps more than once. */
    void whenOver(Runnable told) {
        whenOver = told;
    }

    /** Returns the number by which {@link Sandbox#attach} finds it, in any process; unsigned. */
    public int id() {
        return guest.id();
    }

    /**
     * Returns what the command reads; closing it is the end of its input. A write waits while the command does not read, and
     * fails with an {@link IOException} once the command has ended, or if {@link CommandBuilder#stdin} was not asked for.
     */
    public OutputStream stdin() {
        return guest.stdin();
    }

    /**
     * Returns what the command writes to its standard output. A read fails with a {@link ClocheException} if the sandbox ends
     * before the command.
     */
    public InputStream stdout() {
        return stdout.first();
    }

    /** Returns what the command writes to its standard error; apart from that like {@link #stdout()}. */
    public InputStream stderr() {
        return stderr.first();
    }

    /**
     * Adds a reader of an output, of any number, each for a thread of its own, beside {@link #stdout()} or {@link #stderr()}. From
     * the first one on, the latest 1 MiB is {@linkplain #keepForReaders kept} on this host, also what all have read; before that
     * nothing is. The fastest reader sets the pace: the command is blocked while no reader wants more. One that is so slow that
     * what it has not read is kept no longer misses that, and delays no other.
     *
     * <pre>{@code
     * try (InputStream all = execution.reader(Output.STDOUT, 0)) {
     *     all.transferTo(file);
     * }
     * }</pre>
     *
     * <p>Its reads wait, and fail, as those of {@link #stdout()}. Closing it ends it alone.
     *
     * @param offset in bytes from the command's start; what is not kept of it is missed
     * @throws IllegalArgumentException if so much has not come yet
     */
    @Incubating
    public SharedInput.Reader reader(Output output, long offset) {
        return reader(output, offset, Lag.IS_TOLD);
    }

    /** Adds a reader as {@link #reader(Output, long)} does, and says what becomes of it if it is too slow. */
    @Incubating
    public SharedInput.Reader reader(Output output, long offset, Lag lag) {
        return (output == Output.STDOUT ? stdout : stderr).reader(offset, lag == Lag.ENDS, ring);
    }

    /**
     * Sets how many bytes of each output are kept for readers, by default 1 MiB. Has an effect on an output that has no {@link
     * #reader} yet.
     *
     * @param bytes 4 KiB to 64 MiB
     * @return this
     */
    @Incubating
    public Execution keepForReaders(int bytes) {
        if (bytes < LEAST_RING || bytes > MOST_RING) {
            throw new IllegalArgumentException("bytes kept for readers are " + LEAST_RING + " to " + MOST_RING);
        }
        ring = bytes;
        return this;
    }

    /** Returns how much of {@link #stdout()} was read, from the command's start: where {@link Sandbox#attach} would go on. */
    public long stdoutOffset() {
        return stdout.first().offset();
    }

    /** Returns the same of {@link #stderr()}. */
    public long stderrOffset() {
        return stderr.first().offset();
    }

    /**
     * Returns how much of its input the command's sandbox had taken when this handle was made: where {@link #stdin()} goes on.
     * 0, except after {@link Sandbox#attach}.
     */
    public long stdinOffset() {
        return guest.stdinOffset();
    }

    /**
     * Says that what was read of both outputs up to these offsets, by any reader, is safe, so that the guest may forget it; of use
     * for {@link CommandBuilder#acknowledged} commands.
     *
     * @throws ClocheException if so much was not read
     */
    public void acknowledge(long stdoutOffset, long stderrOffset) {
        guest.acknowledge(Output.STDOUT, stdoutOffset);
        guest.acknowledge(Output.STDERR, stderrOffset);
    }

    /**
     * Changes the size of its terminal.
     *
     * @throws ClocheException if it has none, or has ended
     */
    public void resize(int rows, int columns) {
        guest.resize(new TerminalSize(rows, columns), Deadline.after(SIGNAL_LIMIT));
    }

    /**
     * Sends a signal to the command and its children.
     *
     * @param number 1 to 64, for example 15 for SIGTERM
     * @throws ClocheException if the command has ended
     */
    public void signal(int number) {
        guest.signal(number, Deadline.after(SIGNAL_LIMIT));
    }

    /**
     * Has the command run on when this is closed or {@link #await()} is interrupted from now on; {@link Sandbox#attach} finds
     * the last of its output and its end, which the guest keeps for a while. So do, without this call, commands whose output
     * waits to be {@linkplain CommandBuilder#acknowledged acknowledged}, {@linkplain Sandbox#finalCommand final} ones, and
     * those that were {@linkplain Sandbox#attach attached} to.
     *
     * <pre>{@code
     * int id = sandbox.command("make").start().leaveRunning().id();
     * }</pre>
     *
     * @return this
     */
    public Execution leaveRunning() {
        endsWithUs = false;
        return this;
    }

    /**
     * Waits for the command's end, which is told after its last byte of output has come: a caller that leaves more
     * unread than fits waits here for ever, or until the timeout.
     *
     * <p>An interrupt ends the command as {@link #close()} does, unless it is left running, and then this wait.
     *
     * <p>Where the guest cannot go on for ten seconds, because the host's disk is full or QEMU does not answer, this is no
     * longer waited for, unless it is the main command; the command is left running, and {@link Sandbox#attach} finds it when
     * the guest goes on.
     *
     * @throws CommandException.TimedOut if its timeout passes; it is killed
     * @throws dev.cloche.base.ClocheException with the code {@code vm.interrupted} if this thread is interrupted, which keeps
     *     its interrupt
     * @throws dev.cloche.base.ClocheException with a code {@code sandbox.ended.…} if the sandbox ends first; with {@code
     *     vm.disk-full}, {@code vm.disk-error}, {@code vm.held} or {@code vm.silent} if its guest is hindered
     */
    public ExitStatus await() {
        try {
            return over(patient ? guest.await(deadline) : awaitUnhindered());
        } catch (VmException.Deadline passed) {
            kill(passed);
            throw new CommandException.TimedOut(null, passed);
        } catch (VmException.Interrupted interrupted) {
            if (endsWithUs) {
                CommandEnd.of(guest);
            }
            throw interrupted;
        } catch (GuestException.ConnectionLost lost) {
            throw sandbox.ended(lost);
        }
    }

    /** Returns whether {@link #await()} has seen the command's end. */
    public boolean ended() {
        return status != null;
    }

    /**
     * Lets go of the command, and ends it if it runs: SIGTERM for its process group, and SIGKILL after 2 seconds. What it
     * writes meanwhile is dropped. Returns when it has ended, at the latest some seconds later; an interrupt does not cut this
     * short. One that is {@linkplain #leaveRunning left running} runs on. Closing twice does nothing.
     *
     * <p>Closing the connection that it was begun by, {@link Sandbox} or {@link Machine}, closes it first.
     */
    @Override
    public void close() {
        if (endsWithUs && !ended()) {
            drop(guest.stdout());
            drop(guest.stderr());
            CommandEnd.of(guest);
        }
        guest.close();
        whenOver.run();
    }

    /** Closes an output that the caller does not read, so that it does not hold back the end of the command. */
    private static void drop(InputStream output) {
        try {
            output.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the end, also while the guest is halted for a full disk: it goes on when there is space again. */
    private ExitStatus awaitUnhindered() {
        for (int hindered = 0; ; ) {
            try {
                return guest.await(deadline.orAfter(LOOK));
            } catch (VmException.Deadline late) {
                if (deadline.passed()) {
                    throw late;
                }
                Optional<VmException.Hindered> hindrance = sandbox.hindrance();
                hindered = hindrance.isPresent() ? hindered + 1 : 0;
                if (hindered == LOOKS_IN_VAIN) {
                    // It goes on with its guest, which could not hear of its end either.
                    endsWithUs = false;
                    throw hindrance.get();
                }
            }
        }
    }

    /**
     * Waits for the end of a command that was killed because its time was up.
     *
     * @throws CommandException.TimedOut {@code late}, if the guest does not tell of the end within some seconds
     */
    ExitStatus endAfterKill(CommandException.TimedOut late) {
        try {
            return over(guest.await(Deadline.after(SIGNAL_LIMIT)));
        } catch (VmException.Deadline untold) {
            late.addSuppressed(untold);
            throw late;
        } catch (GuestException.ConnectionLost lost) {
            throw sandbox.ended(lost);
        }
    }

    private ExitStatus over(ExitStatus end) {
        status = end;
        whenOver.run();
        return end;
    }

    private void kill(RuntimeException reason) {
        try {
            signal(SIGKILL);
        } catch (ClocheException endedMeanwhile) {
            reason.addSuppressed(endedMeanwhile);
        }
    }
}
