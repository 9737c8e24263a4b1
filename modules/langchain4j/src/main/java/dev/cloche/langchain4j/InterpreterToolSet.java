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
 * Gives an agent Python whose variables stay from call to call, in one interpreter. Goes with the other tools of its sandbox.
 *
 * <pre>{@code
 * try (Sandbox sandbox = cloche.sandbox("python:3.13").start();
 *         Interpreter python = sandbox.interpreter(Language.PYTHON)) {
 *     Assistant assistant = AiServices.builder(Assistant.class)
 *             .chatModel(model)
 *             .tools(SandboxToolSet.of(sandbox), InterpreterToolSet.of(python))
 *             .build();
 * }
 * }</pre>
 *
 * <p>The answers are those of {@link InterpreterTools}. Safe for use from several threads.
 */
public final class InterpreterToolSet {
    private final InterpreterTools tools;

    private InterpreterToolSet(InterpreterTools tools) {
        this.tools = tools;
    }

    /**
     * Returns the tool of an interpreter of Python, which stays the caller's to close.
     *
     * @throws ToolException.InvalidSettings if its language is another
     */
    public static InterpreterToolSet of(Interpreter interpreter) {
        return of(interpreter, ToolSettings.defaults());
    }

    /** Returns the tool with settings of its own. */
    public static InterpreterToolSet of(Interpreter interpreter, ToolSettings settings) {
        return new InterpreterToolSet(InterpreterTools.of(interpreter, Language.PYTHON, settings));
    }

    /** Runs code where earlier code has run. */
    @Tool(name = "run_python", value = ToolDescriptions.RUN_PYTHON)
    public String runPython(@P(ToolDescriptions.CELL) @Nullable String code) {
        return tools.run(code);
    }
}
