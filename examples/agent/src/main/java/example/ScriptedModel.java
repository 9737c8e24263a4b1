package example;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.util.List;

/** Stands for a model that needs three attempts. It asks no network: what it does next follows from what it sees. */
final class ScriptedModel implements ChatModel {
    private static final String WITHOUT_DONE = """
            n=27 steps=0
            while [ $n -ne 1 ]; do
              if [ $((n % 2)) -eq 0 ]; then n=$((n / 2)); else n=$((3 * n - 1)); fi
              steps=$((steps + 1))
            echo $steps
            """;
    private static final String WRONG_SIGN = """
            n=27 steps=0
            while [ $n -ne 1 ]; do
              if [ $((n % 2)) -eq 0 ]; then n=$((n / 2)); else n=$((3 * n - 1)); fi
              steps=$((steps + 1))
            done
            echo $steps
            """;
    private static final String RIGHT = """
            n=27 steps=0
            while [ $n -ne 1 ]; do
              if [ $((n % 2)) -eq 0 ]; then n=$((n / 2)); else n=$((3 * n + 1)); fi
              steps=$((steps + 1))
            done
            echo $steps
            """;

    @Override
    public ChatResponse doChat(ChatRequest request) {
        AiMessage next = request.messages().getLast() instanceof ToolExecutionResultMessage result
                ? after(result.text())
                : write(WITHOUT_DONE);
        return ChatResponse.builder().aiMessage(next).build();
    }

    private static AiMessage after(String result) {
        System.out.println("The sandbox answers:\n" + result.strip().indent(4));
        if (result.startsWith("Wrote")) {
            return run("sh collatz.sh");
        }
        if (result.contains("syntax error")) {
            return write(WRONG_SIGN);
        }
        if (result.contains("took longer")) {
            return write(RIGHT);
        }
        return AiMessage.from("It takes " + result.strip() + " steps.");
    }

    private static AiMessage write(String program) {
        System.out.println("The model writes collatz.sh:\n" + program.indent(4));
        return call("write_file", json().put("path", "collatz.sh").put("content", program));
    }

    private static AiMessage run(String command) {
        System.out.println("The model runs:\n" + command.indent(4));
        return call("run_command", json().put("command", command));
    }

    private static AiMessage call(String tool, ObjectNode arguments) {
        return AiMessage.from(List.of(ToolExecutionRequest.builder()
                .id("1")
                .name(tool)
                .arguments(arguments.toString())
                .build()));
    }

    private static ObjectNode json() {
        return JsonNodeFactory.instance.objectNode();
    }
}
