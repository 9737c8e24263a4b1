package dev.cloche.interpreter.driver;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.base.Uninterrupted;
import dev.cloche.interpreter.CellListener;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.Language;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the shells of an interpreter: a command of the sandbox for each context, without a driver beside them. Safe for use from
 * several threads.
 */
public final class Shells implements Contexts {
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final int MOST_CONTEXTS = 32;
    private static final int LONGEST_VERSION = 100;
    private static final int LONGEST_COMPLAINT = 4 << 10;
    /** Most shells do not say. */
    private static final String ASK_VERSION = "printf %s \"${BASH_VERSION:+bash $BASH_VERSION}${KSH_VERSION-}\"";

    private final Supplier<GuestExecution> starting;
    private final Function<VmException, RuntimeException> lost;
    private final String version;
    private final ReentrantLock lock = new ReentrantLock();
    /** Those that have not been closed; guarded by {@code lock}. */
    private final List<ShellContext> open = new ArrayList<>();
    /** The one that was asked for the version, for the first who asks for one; guarded by {@code lock}. */
    private @Nullable ShellContext ahead;

    private Shells(
            Supplier<GuestExecution> starting,
            Function<VmException, RuntimeException> lost,
            ShellContext first,
            String version) {
        this.starting = starting;
        this.lost = lost;
        this.version = version;
        this.ahead = first;
        open.add(first);
    }

    /**
     * Starts the first shell of a sandbox.
     *
     * @throws InterpreterException.NotInstalled if there is no {@code sh}
     * @throws InterpreterException.NotStarted if that runs no cell
     */
    public static Shells start(RunningSandbox sandbox) {
        CommandOptions options = new CommandOptions(Map.of(), Optional.empty(), Optional.empty(), true);
        return start(
                () -> {
                    try {
                        return sandbox.exec(List.of(Language.SHELL.program()), options, Deadline.after(START_LIMIT));
                    } catch (SpawnException.CommandNotFound missing) {
                        throw new InterpreterException.NotInstalled(Language.SHELL, missing);
                    }
                },
                failure -> lost(sandbox, failure));
    }

    /** Tells what the loss of a shell means: the end of the sandbox, where that is what it was. */
    private static RuntimeException lost(RunningSandbox sandbox, VmException failure) {
        RuntimeException ended = sandbox.ended(failure);
        return ended == failure
                ? new InterpreterException.ContextEnded("The connection to the context was lost.", failure)
                : ended;
    }

    /** @param starting starts the program with a standard input */
    static Shells start(Supplier<GuestExecution> starting, Function<VmException, RuntimeException> lost) {
        ShellContext first = new ShellContext(starting, lost);
        boolean started = false;
        try {
            CellResult answer =
                    new CellRun(first, Optional.of(START_LIMIT), CellListener.NONE).run(ASK_VERSION.getBytes(UTF_8));
            if (answer.outcome() != CellOutcome.COMPLETED) {
                String why = answer.notice() + " " + answer.stderr();
                throw new InterpreterException.NotStarted(
                        Language.SHELL, Printable.brief(why.strip(), LONGEST_COMPLAINT));
            }
            started = true;
            return new Shells(starting, lost, first, Printable.brief(answer.stdout(), LONGEST_VERSION));
        } finally {
            if (!started) {
                first.close();
            }
        }
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public ShellContext context() {
        lock.lock();
        try {
            ShellContext first = ahead;
            ahead = null;
            if (first != null && !first.isOver()) {
                return first;
            }
            open.removeIf(ShellContext::isOver);
            if (open.size() == MOST_CONTEXTS) {
                throw new InterpreterException.TooManyContexts();
            }
            ShellContext begun = new ShellContext(starting, lost);
            open.add(begun);
            return begun;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            open.forEach(ShellContext::close);
            Uninterrupted.run(() -> open.forEach(Shells::awaitClosed));
            open.clear();
        } finally {
            lock.unlock();
        }
    }

    private static void awaitClosed(ShellContext context) {
        try {
            context.awaitClosed();
        } catch (InterruptedException never) {
            Thread.currentThread().interrupt();
        }
    }
}
