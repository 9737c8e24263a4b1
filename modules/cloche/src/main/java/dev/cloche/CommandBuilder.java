package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.CommandOptions;
import java.time.Duration;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A command that is about to be started in a running sandbox. Not safe for use from several threads; may be started
 * several times.
 *
 * <pre>{@code
 * ExecResult result = sandbox.command("python3", "-")
 *         .environment("LANG", "C.UTF-8")
 *         .user("nobody")
 *         .timeout(Duration.ofSeconds(10))
 *         .run("print(6*7)".getBytes());
 * }</pre>
 */
public final class CommandBuilder extends CommandSetup<CommandBuilder> {
    private final BiFunction<CommandOptions, Deadline, Execution> starter;
    private @Nullable Duration timeout;
    private boolean stdin;

    CommandBuilder(BiFunction<CommandOptions, Deadline, Execution> starter) {
        this.starter = starter;
    }

    /** Whether {@link Execution#stdin()} will be written; otherwise the command reads from {@code /dev/null}. */
    public CommandBuilder stdin(boolean written) {
        stdin = written;
        return this;
    }

    /**
     * The longest that it may take, counted from {@link #start()}; {@link Execution#await()} then kills it. Without it, for
     * ever.
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
        return starter.apply(options(stdin), deadline);
    }

    /**
     * Starts the command, waits for its end and returns all that it wrote.
     *
     * @throws ExecutionException.TimedOut if the timeout passes; the command is killed
     * @throws ExecutionException.OutputTooLarge if it writes more than {@value Execution#MAX_COLLECTED_MIB} MiB to one of
     *     its outputs; the command is killed
     */
    public ExecResult run() {
        return run(new byte[0]);
    }

    /** Like {@link #run()}, with an input that the command reads from its standard input. */
    public ExecResult run(byte[] input) {
        stdin = input.length > 0;
        try (Execution execution = start()) {
            return execution.collect(input);
        }
    }

    @Override
    CommandBuilder self() {
        return this;
    }
}
