package dev.cloche.springai;

import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.Language;
import dev.cloche.tools.InterpreterTools;
import dev.cloche.tools.ToolDescriptions;
import dev.cloche.tools.ToolException;
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
 * Gives a model Python, or a shell, whose variables and directory stay from call to call. The answers are those of
 * {@link InterpreterTools}. Goes with the other tools of the same sandboxes.
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
            Language language, BiFunction<@Nullable ToolContext, Function<InterpreterTools, String>, String> user) {
        boolean shell = language == Language.SHELL;
        callback = new SandboxToolCallback(
                shell ? "run_shell" : "run_python",
                shell ? ToolDescriptions.RUN_SHELL : ToolDescriptions.RUN_PYTHON,
                ToolSchema.of(
                        Map.of("code", ToolSchema.text(shell ? ToolDescriptions.SHELL_CELL : ToolDescriptions.CELL))),
                (call, context) -> user.apply(context, tools -> tools.run(call.text("code"))));
    }

    /** Returns the tool of an interpreter of Python or of the shell, which stays the caller's to close. */
    public static InterpreterToolCallbacks of(Interpreter interpreter) {
        return of(interpreter, ToolSettings.defaults());
    }

    /** Returns the tool of an interpreter with settings of its own. */
    public static InterpreterToolCallbacks of(Interpreter interpreter, ToolSettings settings) {
        InterpreterTools tools = InterpreterTools.of(interpreter, settings);
        return new InterpreterToolCallbacks(tools.language(), (context, work) -> work.apply(tools));
    }

    /**
     * Returns Python for conversations: each has an interpreter in its sandbox, begun by its first call, which ends with the
     * sandbox. The context of the tools names the conversation by {@link ChatMemory#CONVERSATION_ID}.
     */
    public static InterpreterToolCallbacks of(ConversationSandboxes sandboxes) {
        return of(sandboxes, ToolSettings.defaults());
    }

    /** Returns Python for conversations with settings of its own. */
    public static InterpreterToolCallbacks of(ConversationSandboxes sandboxes, ToolSettings settings) {
        return of(sandboxes, Language.PYTHON, settings);
    }

    /**
     * Returns a language for conversations.
     *
     * @param language Python or the shell
     * @throws ToolException.InvalidSettings if it is another
     */
    public static InterpreterToolCallbacks of(ConversationSandboxes sandboxes, Language language) {
        return of(sandboxes, language, ToolSettings.defaults());
    }

    /**
     * Returns a language for conversations with settings of its own.
     *
     * @param language Python or the shell
     * @throws ToolException.InvalidSettings if it is another
     */
    public static InterpreterToolCallbacks of(
            ConversationSandboxes sandboxes, Language language, ToolSettings settings) {
        InterpreterTools.check(language);
        return new InterpreterToolCallbacks(
                language,
                (context, work) ->
                        sandboxes.useInterpreter(SandboxToolCallbacks.conversation(context), language, settings, work));
    }

    @Override
    public ToolCallback[] getToolCallbacks() {
        return new ToolCallback[] {callback};
    }
}
