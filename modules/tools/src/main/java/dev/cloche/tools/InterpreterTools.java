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
 * Runs code of an agent in an interpreter, where variables, imports and functions stay from call to call, and answers in words
 * for its model.
 *
 * <pre>{@code
 * try (Interpreter python = sandbox.interpreter(Language.PYTHON)) {
 *     InterpreterTools tools = InterpreterTools.of(python, ToolSettings.defaults());
 *     tools.runPython("x = 6");
 *     String answer = tools.runPython("x * 7"); // 42
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
     * @throws ToolException.InvalidSettings if its language is not Python
     */
    public static InterpreterTools of(Interpreter interpreter, ToolSettings settings) {
        if (interpreter.language() != Language.PYTHON) {
            throw new ToolException.InvalidSettings(
                    "The tool run_python has an interpreter of "
                            + interpreter.language().title() + ".",
                    "Give it one of Python.");
        }
        return new InterpreterTools(interpreter, settings);
    }

    /** Runs code, and returns what it wrote, the value of its last expression, and what went wrong. */
    public String runPython(@Nullable String code) {
        if (code == null) {
            return SandboxTools.missing("code");
        }
        return SandboxTools.answer(() -> {
            turn.lock();
            try {
                return run(code);
            } finally {
                turn.unlock();
            }
        });
    }

    private String run(String code) {
        if (!entered) {
            // A user who may not make the directory is told so.
            String directory =
                    HexFormat.of().formatHex(settings.workingDirectory().getBytes(UTF_8));
            CellResult result = cell("import os as _os; _d = bytes.fromhex('" + directory
                    + "').decode(); _os.makedirs(_d, exist_ok=True); _os.chdir(_d); del _os, _d");
            if (result.outcome() != CellOutcome.COMPLETED) {
                return "The working directory " + settings.workingDirectory() + " cannot be used.\n"
                        + ModelText.of(result, settings);
            }
            entered = true;
        }
        return ModelText.of(cell(code), settings);
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
