package dev.cloche.langchain4j;

import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.Language;
import dev.cloche.tools.InterpreterTools;
import dev.cloche.tools.ToolDescriptions;
import dev.cloche.tools.ToolException;
import dev.cloche.tools.ToolSettings;
import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import org.jspecify.annotations.Nullable;

/**
 * Gives an agent a shell whose directory and variables stay from call to call, in one interpreter. Goes with the other tools of its
 * sandbox.
 *
 * <pre>{@code
 * try (Sandbox sandbox = cloche.sandbox("debian").start();
 *         Interpreter shell = sandbox.interpreter(Language.SHELL)) {
 *     Assistant assistant = AiServices.builder(Assistant.class)
 *             .chatModel(model)
 *             .tools(ShellToolSet.of(shell))
 *             .build();
 * }
 * }</pre>
 *
 * <p>The answers are those of {@link InterpreterTools}. Safe for use from several threads.
 */
public final class ShellToolSet {
    private final InterpreterTools tools;

    private ShellToolSet(InterpreterTools tools) {
        this.tools = tools;
    }

    /**
     * Returns the tool of an interpreter of the shell, which stays the caller's to close.
     *
     * @throws ToolException.InvalidSettings if its language is another
     */
    public static ShellToolSet of(Interpreter interpreter) {
        return of(interpreter, ToolSettings.defaults());
    }

    /** Returns the tool with settings of its own. */
    public static ShellToolSet of(Interpreter interpreter, ToolSettings settings) {
        return new ShellToolSet(InterpreterTools.of(interpreter, Language.SHELL, settings));
    }

    /** Runs commands where earlier ones have run. */
    @Tool(name = "run_shell", value = ToolDescriptions.RUN_SHELL)
    public String runShell(@P(ToolDescriptions.SHELL_CELL) @Nullable String code) {
        return tools.run(code);
    }
}
