package outside;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.langchain4j.SandboxCodeEngine;
import dev.cloche.langchain4j.SandboxToolSet;
import dev.cloche.tools.CodeLanguage;
import dev.cloche.tools.ToolSettings;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.service.AiServices;
import java.time.Duration;
import java.util.List;

/** An agent that writes a program, runs it, mends it by what went wrong, and is not ended by one that loops. */
public final class Application {
    private Application() {}

    interface Assistant {
        String answer(String question);
    }

    /** Does next what the answer to its last call demands. */
    static final class Model implements ChatModel {
        @Override
        public ChatResponse doChat(ChatRequest request) {
            AiMessage message = request.messages().getLast() instanceof ToolExecutionResultMessage result
                    ? after(result.text())
                    : call("write_file", "{\"path\": \"sum.sh\", \"content\": \"expr 40 +\"}");
            return ChatResponse.builder().aiMessage(message).build();
        }

        private static AiMessage after(String answer) {
            if (answer.equals("Wrote 9 bytes to /work/sum.sh.") || answer.equals("Wrote 11 bytes to /work/sum.sh.")) {
                return call("run_command", "{\"command\": \"sh sum.sh\"}");
            }
            if (answer.contains("syntax error")) {
                return call("write_file", "{\"path\": \"sum.sh\", \"content\": \"expr 40 + 2\"}");
            }
            if (answer.equals("42\n")) {
                return call("run_code", "{\"language\": \"shell\", \"code\": \"cat sum.sh; while :; do sleep 1; done\"}");
            }
            return AiMessage.from(answer);
        }

        private static AiMessage call(String tool, String arguments) {
            return AiMessage.from(List.of(ToolExecutionRequest.builder()
                    .id("1")
                    .name(tool)
                    .arguments(arguments)
                    .build()));
        }
    }

    public static void main(String[] args) {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.sandbox("base").start()) {
            ToolSettings settings = ToolSettings.defaults().withTimeout(Duration.ofSeconds(2));
            Assistant assistant = AiServices.builder(Assistant.class)
                    .chatModel(new Model())
                    .tools(SandboxToolSet.of(sandbox, settings))
                    .build();
            require(
                    assistant.answer("How much is it?"),
                    "expr 40 + 2\n[It was killed because it took longer than 2 s. What it wrote is above.]");
            require(SandboxCodeEngine.of(sandbox, CodeLanguage.SHELL).execute("sh sum.sh"), "42\n");
        }
        System.out.println("as it should be");
    }

    private static void require(String answer, String expected) {
        if (!answer.equals(expected)) {
            throw new AssertionError(answer);
        }
    }
}
