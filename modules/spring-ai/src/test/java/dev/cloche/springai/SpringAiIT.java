package dev.cloche.springai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.SandboxInfo;
import dev.cloche.base.InstalledShare;
import dev.cloche.base.TestImage;
import dev.cloche.image.PullListener;
import dev.cloche.interpreter.Language;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.tools.ToolException;
import dev.cloche.tools.ToolSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.util.json.JsonParser;

/** The tools as Spring AI calls them, in real VMs. */
class SpringAiIT {
    @TempDir
    static Path home;

    static Cloche cloche;

    private Instant now = Instant.EPOCH;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            assertThat(cloche.sandboxes().list()).isEmpty();
            cloche.close();
        }
    }

    private static Sandbox start() {
        return cloche.sandbox("base").memoryMib(192).start();
    }

    /** Has Spring AI make one call as a model asks for it, and returns what the model gets. */
    private static String call(ToolCallbackProvider tools, String conversation, String tool, String arguments) {
        ToolCallingChatOptions options = ToolCallingChatOptions.builder()
                .toolCallbacks(tools.getToolCallbacks())
                .toolContext(Map.of(ChatMemory.CONVERSATION_ID, conversation))
                .build();
        AssistantMessage wish = AssistantMessage.builder()
                .content("")
                .toolCalls(List.of(new AssistantMessage.ToolCall("1", "function", tool, arguments)))
                .build();
        ToolResponseMessage answer = (ToolResponseMessage) ToolCallingManager.builder()
                .build()
                .executeToolCalls(
                        new Prompt("How much is it?", options), new ChatResponse(List.of(new Generation(wish))))
                .conversationHistory()
                .getLast();
        return answer.getResponses().getFirst().responseData();
    }

    @Test
    void aModelWritesRunsAndReadsAndNothingThatGoesWrongEndsItsAgent() {
        try (Sandbox sandbox = start()) {
            ToolSettings settings =
                    ToolSettings.defaults().withTimeout(Duration.ofMinutes(5)).withOutputLimit(10_000);
            SandboxToolCallbacks tools = SandboxToolCallbacks.of(sandbox, settings);
            // For what never ends alone; its first output must have come by then.
            SandboxToolCallbacks hasty = SandboxToolCallbacks.of(sandbox, settings.withTimeout(Duration.ofSeconds(10)));
            assertThat(call(tools, "a", "write_file", "{\"path\": \"sum.sh\", \"content\": \"expr 40 + 2\"}"))
                    .isEqualTo("Wrote 11 bytes to /work/sum.sh.");
            assertThat(call(tools, "a", "run_command", "{\"command\": \"sh sum.sh\"}"))
                    .isEqualTo("42\n");
            assertThat(call(tools, "a", "run_code", "{\"language\": \"shell\", \"code\": \". ./sum.sh; exit 3\"}"))
                    .isEqualTo("42\n[It ended with exit code 3. What it wrote is above.]");
            assertThat(call(tools, "a", "read_file", "{\"path\": \"sum.sh\"}")).isEqualTo("expr 40 + 2");
            assertThat(call(tools, "a", "list_files", "{\"path\": \".\"}")).isEqualTo("sum.sh, 11 bytes\n");

            assertThat(call(hasty, "a", "run_command", "{\"command\": \"echo first; while :; do sleep 1; done\"}"))
                    .startsWith("first\n")
                    .contains("took longer than 10 s");
            assertThat(call(tools, "a", "run_command", "{\"command\": \"yes\"}"))
                    .startsWith("y\n")
                    .contains("more than 10000 bytes");
            assertThat(call(tools, "a", "run_code", "{\"language\": \"python\", \"code\": \"print(42)\"}"))
                    .contains("no program python3");
            assertThat(call(tools, "a", "run_code", "{\"language\": 7, \"code\": \"\"}"))
                    .contains("no language \"7\"");
            assertThat(call(tools, "a", "run_code", "{\"language\": \"shell\"}"))
                    .isEqualTo("The parameter code is missing.");
            assertThat(call(tools, "a", "write_file", "{\"path\": \"a.json\", \"content\": {\"a\": [1, true]}}"))
                    .startsWith("Wrote ");
            assertThat(call(tools, "a", "read_file", "{\"path\": \"a.json\"}").replaceAll("\\s", ""))
                    .isEqualTo("{\"a\":[1,true]}");
            for (String broken : List.of("{", "[]", "null", "\"\"")) {
                assertThat(call(tools, "a", "read_file", broken))
                        .isEqualTo("The arguments of read_file are no JSON object.");
            }
        }
    }

    @Test
    void eachConversationHasASandboxThatEndsWhenItIsIdle() {
        try (ConversationSandboxes sandboxes =
                ConversationSandboxes.of(SpringAiIT::start, Duration.ofHours(1), () -> now)) {
            SandboxToolCallbacks tools = SandboxToolCallbacks.of(sandboxes);
            String write = "{\"path\": \"mine\", \"content\": \"text\"}";
            String read = "{\"path\": \"mine\"}";
            assertThat(call(tools, "a", "write_file", write)).startsWith("Wrote");
            assertThat(call(tools, "b", "read_file", read)).contains("does not exist");
            assertThat(cloche.sandboxes().list()).hasSize(2);

            now = now.plus(Duration.ofMinutes(59));
            assertThat(call(tools, "a", "read_file", read)).isEqualTo("text");
            now = now.plus(Duration.ofMinutes(1));
            sandboxes.endIdle();
            assertThat(cloche.sandboxes().list()).hasSize(1);
            assertThat(call(tools, "a", "read_file", read)).isEqualTo("text");

            now = now.plus(Duration.ofHours(1));
            sandboxes.endIdle();
            assertThat(cloche.sandboxes().list()).isEmpty();
            assertThat(call(tools, "a", "read_file", read)).contains("does not exist");

            String name = cloche.sandboxes().list().stream()
                    .map(SandboxInfo::name)
                    .findFirst()
                    .orElseThrow();
            cloche.sandboxes().kill(name);
            assertThat(call(tools, "a", "run_command", "{\"command\": \"echo 42\"}"))
                    .isEqualTo("42\n");
            sandboxes.end("a");
            assertThat(cloche.sandboxes().list()).isEmpty();
        }
    }

    @Test
    void variablesOfAConversationStayFromCallToCall() throws Exception {
        Assumptions.assumeTrue(TestImage.hasPython(), "python3 is not on this host");
        var _ = cloche.images().load(TestImage.withPython(home.resolve("image")), "python", PullListener.none());
        try (ConversationSandboxes sandboxes = ConversationSandboxes.of(
                () -> cloche.sandbox("python").memoryMib(256).start(), Duration.ofHours(1))) {
            ToolCallbackProvider files = SandboxToolCallbacks.of(sandboxes);
            ToolCallbackProvider python = InterpreterToolCallbacks.of(sandboxes);
            assertThat(call(files, "a", "write_file", "{\"path\": \"data\", \"content\": \"40\"}"))
                    .startsWith("Wrote");
            assertThat(call(python, "a", "run_python", "{\"code\": \"x = int(open('data').read())\"}"))
                    .isEqualTo("[It ended well and has no value.]");
            assertThat(call(python, "a", "run_python", "{\"code\": \"x + 2\"}")).isEqualTo("42");
            assertThat(call(python, "b", "run_python", "{\"code\": \"x\"}"))
                    .contains("NameError: name 'x' is not defined");
            sandboxes.end("a");
            assertThat(call(python, "a", "run_python", "{\"code\": \"x\"}"))
                    .as("another sandbox")
                    .contains("NameError: name 'x' is not defined");
        }
        try (ConversationSandboxes sandboxes = ConversationSandboxes.of(SpringAiIT::start, Duration.ofHours(1))) {
            ToolCallbackProvider python = InterpreterToolCallbacks.of(sandboxes);
            assertThat(call(python, "a", "run_python", "{\"code\": \"1\"}")).contains("no program python3");
            ToolCallbackProvider shell = InterpreterToolCallbacks.of(sandboxes, Language.SHELL);
            assertThat(call(shell, "a", "run_shell", "{\"code\": \"cd /tmp; x=42\"}"))
                    .isEqualTo("[It ended well and has no value.]");
            assertThat(call(shell, "a", "run_shell", "{\"code\": \"pwd; echo $x\"}"))
                    .isEqualTo("/tmp\n42\n");
            assertThatThrownBy(() -> InterpreterToolCallbacks.of(sandboxes, Language.JAVA))
                    .isInstanceOf(ToolException.InvalidSettings.class);
        }
    }

    @Test
    void whatTheApplicationForgetsIsAnException() {
        try (ConversationSandboxes sandboxes = ConversationSandboxes.of(SpringAiIT::start, Duration.ofHours(1))) {
            ToolCallback tool = SandboxToolCallbacks.of(sandboxes).getToolCallbacks()[0];
            assertThatThrownBy(() -> tool.call("{}")).isInstanceOf(ConversationException.Unknown.class);
        }
        assertThatThrownBy(() -> ConversationSandboxes.of(SpringAiIT::start, Duration.ofMillis(999)))
                .isInstanceOf(ConversationException.InvalidSettings.class);
    }

    @Test
    void everyToolHasASchemaThatSaysWhatItNeeds() {
        try (ConversationSandboxes sandboxes = ConversationSandboxes.of(SpringAiIT::start, Duration.ofHours(1))) {
            for (ToolCallback tool : SandboxToolCallbacks.of(sandboxes).getToolCallbacks()) {
                Map<?, ?> schema = JsonParser.fromJson(tool.getToolDefinition().inputSchema(), Map.class);
                Map<?, ?> properties = (Map<?, ?>)
                        Optional.ofNullable(schema.get("properties")).orElseThrow();
                List<?> required =
                        (List<?>) Optional.ofNullable(schema.get("required")).orElseThrow();
                assertThat(properties).isNotEmpty();
                assertThat(Set.<Object>copyOf(required)).isEqualTo(properties.keySet());
            }
        }
    }
}
