package outside;

import dev.cloche.Cloche;
import dev.cloche.springai.ConversationSandboxes;
import dev.cloche.springai.SandboxToolCallbacks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;

/** Two conversations with an agent that writes a program, runs it and mends it, each in a sandbox of its own. */
public final class Application {
    private Application() {}

    /** Does next what the answer to its last call demands. */
    static final class Model implements ChatModel {
        private final ToolCallingManager calls = ToolCallingManager.builder().build();

        @Override
        public ChatOptions getDefaultOptions() {
            return ToolCallingChatOptions.builder().build();
        }

        @Override
        public ChatResponse call(Prompt prompt) {
            Message last = prompt.getInstructions().getLast();
            AssistantMessage message = last instanceof ToolResponseMessage results
                    ? after(results.getResponses().getFirst().responseData())
                    : call("list_files", "{\"path\": \".\"}");
            ChatResponse response = new ChatResponse(List.of(new Generation(message)));
            return message.hasToolCalls()
                    ? call(new Prompt(
                            calls.executeToolCalls(prompt, response).conversationHistory(), prompt.getOptions()))
                    : response;
        }

        private static AssistantMessage after(String answer) {
            if (answer.equals("[/work is empty.]")) {
                return call("write_file", "{\"path\": \"sum.sh\", \"content\": \"expr 40 +\"}");
            }
            if (answer.startsWith("Wrote ")) {
                return call("run_code", "{\"language\": \"shell\", \"code\": \"sh sum.sh\"}");
            }
            if (answer.contains("syntax error")) {
                return call("write_file", "{\"path\": \"sum.sh\", \"content\": \"expr 40 + 2\"}");
            }
            return new AssistantMessage(answer);
        }

        private static AssistantMessage call(String tool, String arguments) {
            return AssistantMessage.builder()
                    .content("")
                    .toolCalls(List.of(new AssistantMessage.ToolCall("1", "function", tool, arguments)))
                    .build();
        }
    }

    public static void main(String[] args) {
        try (Cloche cloche = Cloche.open();
                ConversationSandboxes sandboxes =
                        ConversationSandboxes.of(() -> cloche.sandbox("base").start(), Duration.ofMinutes(15))) {
            ChatClient client = ChatClient.builder(new Model())
                    .defaultToolCallbacks(SandboxToolCallbacks.of(sandboxes))
                    .build();
            require(ask(client, "first"), "42\n");
            require(ask(client, "second"), "42\n");
            require(ask(client, "first"), "sum.sh, 11 bytes\n");
        }
        System.out.println("as it should be");
    }

    private static String ask(ChatClient client, String conversation) {
        return client.prompt("How much is it?")
                .toolContext(Map.of(ChatMemory.CONVERSATION_ID, conversation))
                .call()
                .content();
    }

    private static void require(String answer, String expected) {
        if (!answer.equals(expected)) {
            throw new AssertionError(answer);
        }
    }
}
