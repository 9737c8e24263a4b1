package dev.cloche.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.ClocheException;
import dev.cloche.interpreter.CellOutcome;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.Language;
import java.util.HexFormat;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs code of an agent in an interpreter of Python or of the shell, where variables, functions and the directory stay from call
 * to call, and answers in words for its model.
 *
 * <pre>{@code
 * try (Interpreter python = sandbox.interpreter(Language.PYTHON)) {
 *     InterpreterTools tools = InterpreterTools.of(python, ToolSettings.defaults());
 *     tools.run("x = 6");
 *     String answer = tools.run("x * 7"); // 42
 * }
 * }</pre>
 *
 * <p>What goes wrong in the sandbox is an answer too, as with {@link SandboxTools}. Of the settings the timeout, what is shown and
 * the working directory count: the interpreter says who runs the code, and has limits of its own for what that writes.
 *
 * <p>Safe for use from several threads; a call waits for the one before.
 */
public final class InterpreterTools {
    private final Interpreter interpreter;
    private final ToolSettings settings;
    private final ReentrantLock turn = new ReentrantLock();
    /** Whether the context is in the working directory; guarded by {@code turn}. */
    private boolean entered;

    private InterpreterTools(Interpreter interpreter, ToolSettings settings) {
        this.interpreter = interpreter;
        this.settings = settings;
    }

    /**
     * Returns tools of an interpreter, which stays the caller's to close. Its own context is for them alone.
     *
     * @throws ToolException.InvalidSettings if its language is neither Python nor the shell
     */
    public static InterpreterTools of(Interpreter interpreter, ToolSettings settings) {
        check(interpreter.language());
        return new InterpreterTools(interpreter, settings);
    }

    /**
     * Returns tools of an interpreter, which is to have a certain language.
     *
     * @throws ToolException.InvalidSettings if it has another, or that is neither Python nor the shell
     */
    public static InterpreterTools of(Interpreter interpreter, Language language, ToolSettings settings) {
        if (interpreter.language() != language) {
            throw new ToolException.InvalidSettings(
                    "An interpreter of " + interpreter.language().title() + " cannot run " + language.title() + ".",
                    "Give it one of " + language.title() + ".");
        }
        return of(interpreter, settings);
    }

    /**
     * Checks that there are tools of a language.
     *
     * @throws ToolException.InvalidSettings if it is neither Python nor the shell
     */
    public static void check(Language language) {
        if (language != Language.PYTHON && language != Language.SHELL) {
            throw new ToolException.InvalidSettings(
                    "There is no tool that runs " + language.title() + " in an interpreter.",
                    "Use Python or the shell.");
        }
    }

    /** Returns the language of its code. */
    public Language language() {
        return interpreter.language();
    }

    /** Runs code, and returns what it wrote, the value of its last expression, and what went wrong. */
    public String run(@Nullable String code) {
        if (code == null) {
            return SandboxTools.missing("code");
        }
        return SandboxTools.answer(() -> {
            turn.lock();
            try {
                return runInTurn(code);
            } finally {
                turn.unlock();
            }
        });
    }

    private String runInTurn(String code) {
        if (!entered) {
            // A user who may not make the directory is told so.
            CellResult result = cell(entering());
            if (result.outcome() != CellOutcome.COMPLETED) {
                return "The working directory " + settings.workingDirectory() + " cannot be used.\n"
                        + ModelText.of(result, settings);
            }
            entered = true;
        }
        return ModelText.of(cell(code), settings);
    }

    /** Code that makes the working directory, and goes there. */
    private String entering() {
        String directory = settings.workingDirectory();
        if (language() == Language.SHELL) {
            String quoted = "'" + directory.replace("'", "'\\''") + "'";
            return "mkdir -p -- " + quoted + " && cd -- " + quoted;
        }
        return "import os as _os; _d = bytes.fromhex('" + HexFormat.of().formatHex(directory.getBytes(UTF_8))
                + "').decode(); _os.makedirs(_d, exist_ok=True); _os.chdir(_d); del _os, _d";
    }

    private CellResult cell(String code) {
        try {
            CellResult result =
                    interpreter.cell(code).timeout(settings.timeout()).run();
            entered &= !result.contextLost();
            return result;
        } catch (ClocheException failed) {
            entered = false; // What goes on in the context is not known, so it is closed.
            throw failed;
        }
    }
}
