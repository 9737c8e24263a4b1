package dev.cloche.springai;

import dev.cloche.Sandbox;
import dev.cloche.tools.SandboxTools;
import dev.cloche.tools.ToolDescriptions;
import dev.cloche.tools.ToolSettings;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;

/**
 * Gives a model tools that run in a sandbox: code, shell commands and files. The answers are those of {@link SandboxTools}.
 *
 * <pre>{@code
 * chatClient.prompt("What is the sum of the primes below 1000?")
 *         .toolCallbacks(SandboxToolCallbacks.of(sandboxes))
 *         .toolContext(Map.of(ChatMemory.CONVERSATION_ID, conversation))
 *         .call()
 *         .content();
 * }</pre>
 *
 * <p>Safe for use from several threads.
 */
public final class SandboxToolCallbacks implements ToolCallbackProvider {
    private static final String LANGUAGE =
            "{\"type\": \"string\", \"enum\": [\"python\", \"javascript\", \"java\", \"shell\"]}";

    private final List<ToolCallback> callbacks;

    /** @param user calls a tool's work with the tools of the sandbox that the context is for */
    private SandboxToolCallbacks(BiFunction<@Nullable ToolContext, Function<SandboxTools, String>, String> user) {
        callbacks = List.of(
                new SandboxToolCallback(
                        "run_code",
                        ToolDescriptions.RUN_CODE,
                        ToolSchema.of(Map.of("language", LANGUAGE, "code", ToolSchema.text(ToolDescriptions.CODE))),
                        (call, context) ->
                                user.apply(context, tools -> tools.runCode(call.text("language"), call.text("code")))),
                new SandboxToolCallback(
                        "run_command",
                        ToolDescriptions.RUN_COMMAND,
                        ToolSchema.of(Map.of("command", ToolSchema.text(ToolDescriptions.COMMAND))),
                        (call, context) -> user.apply(context, tools -> tools.runCommand(call.text("command")))),
                new SandboxToolCallback(
                        "read_file",
                        ToolDescriptions.READ_FILE,
                        ToolSchema.of(Map.of("path", ToolSchema.text(ToolDescriptions.PATH))),
                        (call, context) -> user.apply(context, tools -> tools.readFile(call.text("path")))),
                new SandboxToolCallback(
                        "write_file",
                        ToolDescriptions.WRITE_FILE,
                        ToolSchema.of(Map.of(
                                "path",
                                ToolSchema.text(ToolDescriptions.PATH),
                                "content",
                                ToolSchema.text(ToolDescriptions.CONTENT))),
                        (call, context) ->
                                user.apply(context, tools -> tools.writeFile(call.text("path"), call.text("content")))),
                new SandboxToolCallback(
                        "list_files",
                        ToolDescriptions.LIST_FILES,
                        ToolSchema.of(Map.of("path", ToolSchema.text(ToolDescriptions.PATH))),
                        (call, context) -> user.apply(context, tools -> tools.listFiles(call.text("path")))));
    }

    /** Returns tools of one sandbox, which stays the caller's to close. */
    public static SandboxToolCallbacks of(Sandbox sandbox) {
        return of(sandbox, ToolSettings.defaults());
    }

    /** Returns tools of one sandbox with settings of their own. */
    public static SandboxToolCallbacks of(Sandbox sandbox, ToolSettings settings) {
        SandboxTools tools = SandboxTools.of(sandbox, settings);
        return new SandboxToolCallbacks((context, work) -> work.apply(tools));
    }

    /**
     * Returns tools that run in the sandbox of the conversation that the context of the tools names by {@link
     * ChatMemory#CONVERSATION_ID}.
     */
    public static SandboxToolCallbacks of(ConversationSandboxes sandboxes) {
        return of(sandboxes, ToolSettings.defaults());
    }

    /** Returns tools of conversations with settings of their own. */
    public static SandboxToolCallbacks of(ConversationSandboxes sandboxes, ToolSettings settings) {
        return new SandboxToolCallbacks((context, work) ->
                sandboxes.use(conversation(context), sandbox -> work.apply(SandboxTools.of(sandbox, settings))));
    }

    static String conversation(@Nullable ToolContext context) {
        Object named = context == null ? null : context.getContext().get(ChatMemory.CONVERSATION_ID);
        if (named == null) {
            throw new ConversationException.Unknown(ChatMemory.CONVERSATION_ID);
        }
        return named.toString();
    }

    @Override
    public ToolCallback[] getToolCallbacks() {
        return callbacks.toArray(ToolCallback[]::new);
    }
}
