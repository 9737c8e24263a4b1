package dev.cloche.springai;

import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.util.json.JsonParser;

/** One tool. Arguments that are no JSON are answered, for Spring AI's own callbacks would end the agent with them. */
final class SandboxToolCallback implements ToolCallback {
    private final ToolDefinition definition;
    private final BiFunction<Arguments, @Nullable ToolContext, String> work;

    SandboxToolCallback(
            String name, String description, String schema, BiFunction<Arguments, @Nullable ToolContext, String> work) {
        this.definition = ToolDefinition.builder()
                .name(name)
                .description(description)
                .inputSchema(schema)
                .build();
        this.work = work;
    }

    @Override
    public ToolDefinition getToolDefinition() {
        return definition;
    }

    @Override
    public String call(String input) {
        return call(input, null);
    }

    @Override
    public String call(String input, @Nullable ToolContext context) {
        Map<?, ?> arguments;
        try {
            arguments = JsonParser.fromJson(input, Map.class);
        } catch (RuntimeException unreadable) {
            arguments = null;
        }
        return arguments == null
                ? "The arguments of " + definition.name() + " are no JSON object."
                : work.apply(new Arguments(arguments), context);
    }

    /** What a model gives a tool. */
    record Arguments(Map<?, ?> values) {
        /** Returns one as a text, also where the model has given a number or an object; null if it is not there. */
        @Nullable
        String text(String name) {
            Object value = values.get(name);
            return value == null || value instanceof String ? (String) value : JsonParser.toJson(value);
        }
    }
}
