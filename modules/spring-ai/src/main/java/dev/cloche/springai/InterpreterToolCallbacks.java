package dev.cloche.springai;

import dev.cloche.interpreter.Interpreter;
import dev.cloche.tools.InterpreterTools;
import dev.cloche.tools.ToolDescriptions;
import dev.cloche.tools.ToolSettings;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;

/**
 * Gives a model Python whose variables stay from call to call. The answers are those of {@link InterpreterTools}. Goes with the
 * other tools of the same sandboxes.
 *
 * <pre>{@code
 * builder.defaultToolCallbacks(SandboxToolCallbacks.of(sandboxes), InterpreterToolCallbacks.of(sandboxes)).build();
 * }</pre>
 *
 * <p>Safe for use from several threads.
 */
public final class InterpreterToolCallbacks implements ToolCallbackProvider {
    private final ToolCallback callback;

    private InterpreterToolCallbacks(
            BiFunction<@Nullable ToolContext, Function<InterpreterTools, String>, String> user) {
        callback = new SandboxToolCallback(
                "run_python",
                ToolDescriptions.RUN_PYTHON,
                ToolSchema.of(Map.of("code", ToolSchema.text(ToolDescriptions.CELL))),
                (call, context) -> user.apply(context, tools -> tools.runPython(call.text("code"))));
    }

    /** Returns the tool of an interpreter of Python, which stays the caller's to close. */
    public static InterpreterToolCallbacks of(Interpreter interpreter) {
        return of(interpreter, ToolSettings.defaults());
    }

    /** Returns the tool of an interpreter with settings of its own. */
    public static InterpreterToolCallbacks of(Interpreter interpreter, ToolSettings settings) {
        InterpreterTools tools = InterpreterTools.of(interpreter, settings);
        return new InterpreterToolCallbacks((context, work) -> work.apply(tools));
    }

    /**
     * Returns the tool of conversations: each has an interpreter in its sandbox, begun by its first call, which ends with the
     * sandbox. The context of the tools names the conversation by {@link ChatMemory#CONVERSATION_ID}.
     */
    public static InterpreterToolCallbacks of(ConversationSandboxes sandboxes) {
        return of(sandboxes, ToolSettings.defaults());
    }

    /** Returns the tool of conversations with settings of its own. */
    public static InterpreterToolCallbacks of(ConversationSandboxes sandboxes, ToolSettings settings) {
        return new InterpreterToolCallbacks(
                (context, work) -> sandboxes.usePython(SandboxToolCallbacks.conversation(context), settings, work));
    }

    @Override
    public ToolCallback[] getToolCallbacks() {
        return new ToolCallback[] {callback};
    }
}
