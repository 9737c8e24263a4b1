package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.TerminalSize;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A command that is about to be started in a running sandbox. Not safe for use from several threads; may be started
 * several times.
 *
 * <pre>{@code
 * ExecResult result = sandbox.command("python3", "-")
 *         .environment("LANG", "C.UTF-8")
 *         .user("www-data")
 *         .timeout(Duration.ofSeconds(10))
 *         .run("print(6*7)".getBytes());
 * }</pre>
 */
public final class CommandBuilder extends CommandSetup<CommandBuilder> {
    private static final int MOST_COLLECTED = 1 << 30;

    private final BiFunction<CommandOptions, Deadline, Execution> starter;
    private int outputLimit = 64 << 20;
    private @Nullable Duration timeout;
    private boolean stdin;
    private boolean acknowledged;
    private @Nullable TerminalSize terminal;

    CommandBuilder(BiFunction<CommandOptions, Deadline, Execution> starter) {
        this.starter = starter;
    }

    /** Sets whether {@link Execution#stdin()} will be written; otherwise the command reads from {@code /dev/null}. */
    public CommandBuilder stdin(boolean written) {
        stdin = written;
        return this;
    }

    /**
     * Gives it a terminal of this size, which echoes and turns Ctrl-C into a signal; all of its output is then {@link
     * Execution#stdout()}.
     *
     * @param rows 1 to 65,535
     * @param columns 1 to 65,535
     */
    public CommandBuilder terminal(int rows, int columns) {
        terminal = new TerminalSize(rows, columns);
        return this;
    }

    /**
     * Sets whether the guest keeps its output until {@link Execution#acknowledge}, and its end until {@link Sandbox#release}:
     * then it survives this process without a loss, runs on when its handle is closed, and waits while no process reads its
     * output.
     */
    public CommandBuilder acknowledged(boolean kept) {
        acknowledged = kept;
        return this;
    }

    /**
     * Sets the longest that it may take, counted from {@link #start()}; {@link Execution#await()} or {@link #run()} then kills
     * it. Without it, for ever.
     */
    public CommandBuilder timeout(Duration longest) {
        timeout = longest;
        return this;
    }

    /**
     * Starts the command and returns its running form.
     *
     * @throws dev.cloche.base.ClocheException with a code {@code vm.spawn.…} if it cannot be started, or
     *     {@code sandbox.ended.…} if the sandbox has ended
     */
    public Execution start() {
        Deadline deadline = timeout == null ? Deadline.none() : Deadline.after(timeout);
        CommandOptions plain = options();
        CommandOptions options = new CommandOptions(
                plain.environment(),
                plain.workingDirectory(),
                plain.user(),
                stdin,
                Optional.ofNullable(terminal),
                acknowledged,
                plain.limits());
        return starter.apply(options, deadline);
    }

    /**
     * Sets how much {@link #run()} keeps of each of its two outputs; when it writes more, it is killed, and the result is
     * {@linkplain ExecResult#truncated truncated}.
     *
     * @param bytes 1 to 1,073,741,824; by default 67,108,864 (64 MiB)
     * @throws dev.cloche.base.ClocheException if it is out of range
     */
    public CommandBuilder outputLimit(int bytes) {
        if (bytes < 1 || bytes > MOST_COLLECTED) {
            throw new SandboxException.InvalidSpecification(
                    "An output limit is 1 byte to 1 GiB, not " + bytes + " bytes.",
                    "Collect less, or start the command with start() and read its streams.");
        }
        outputLimit = bytes;
        return this;
    }

    /**
     * Starts the command, waits for its end and returns what it wrote. One that its timeout or its output limit ends is killed,
     * and the result has what it wrote until then and says which it was; {@link ExecResult#orThrow()} makes an exception of
     * that. An interrupt ends the command, as it does with {@link Execution#await()}.
     *
     * @throws CommandException.TimedOut if the timeout passes and the guest does not tell of the command's end either, as
     *     that of a paused sandbox
     * @throws dev.cloche.base.ClocheException as {@link #start()} and {@link Execution#await()} do
     */
    public ExecResult run() {
        return run(new byte[0]);
    }

    /** Does what {@link #run()} does, with an input that the command reads from its standard input. */
    public ExecResult run(byte[] input) {
        stdin = input.length > 0;
        try (Execution execution = start()) {
            return new CollectingRun(execution, outputLimit).of(input);
        }
    }

    @Override
    CommandBuilder self() {
        return this;
    }
}
