package dev.cloche.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A model that calls one tool after the other without regard to the answers, and then says the last one. */
final class ScriptedModel implements ChatModel {
    private final Deque<ToolExecutionRequest> script = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();
    private final List<String> offered = new ArrayList<>();

    /** @param arguments as JSON */
    ScriptedModel calls(String tool, String arguments) {
        script.add(ToolExecutionRequest.builder()
                .id(String.valueOf(script.size()))
                .name(tool)
                .arguments(arguments)
                .build());
        return this;
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        offered.clear();
        request.toolSpecifications().forEach(tool -> offered.add(tool.name() + ": " + tool.description()));
        ChatMessage last = request.messages().getLast();
        if (last instanceof ToolExecutionResultMessage answer) {
            answers.add(answer.text());
        }
        AiMessage message = script.isEmpty() ? AiMessage.from(answers.getLast()) : AiMessage.from(script.remove());
        return ChatResponse.builder().aiMessage(message).build();
    }

    /** Returns what the tools answered, in the order of the calls. */
    List<String> answers() {
        return answers;
    }

    /** Returns the names and descriptions of the tools that it may call. */
    List<String> offered() {
        return offered;
    }
}
