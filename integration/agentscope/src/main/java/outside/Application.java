package outside;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.tools.SandboxTools;
import dev.cloche.tools.ToolSettings;
import io.agentscope.core.message.TextBlock;
import io.agentscope.core.message.ToolResultBlock;
import io.agentscope.core.message.ToolUseBlock;
import io.agentscope.core.tool.Tool;
import io.agentscope.core.tool.ToolCallParam;
import io.agentscope.core.tool.ToolParam;
import io.agentscope.core.tool.Toolkit;
import java.util.Map;

/** Has a toolkit of AgentScope call tools whose work is done in a sandbox, as an agent has it when its model asks for one. */
public final class Application {
    private Application() {}

    /** What a model may ask for. */
    public static final class Tools {
        private final SandboxTools tools;

        Tools(Sandbox sandbox) {
            tools = SandboxTools.of(sandbox, ToolSettings.defaults());
        }

        @Tool(name = "run_command", description = "Runs a command of the POSIX shell in a sandbox whose files stay.")
        public ToolResultBlock runCommand(@ToolParam(name = "command", description = "The command") String command) {
            return ToolResultBlock.text(tools.runCommand(command));
        }

        @Tool(name = "write_file", description = "Writes a text file of the sandbox.")
        public ToolResultBlock writeFile(
                @ToolParam(name = "path", description = "The file") String path,
                @ToolParam(name = "content", description = "Its text") String content) {
            return ToolResultBlock.text(tools.writeFile(path, content));
        }
    }

    public static void main(String[] arguments) throws JsonProcessingException {
        try (Cloche cloche = Cloche.open(ClocheOptions.ofEnvironment());
                Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            Toolkit toolkit = new Toolkit();
            toolkit.registerTool(new Tools(sandbox));
            expect("Wrote 5 bytes to /work/seven.", call(toolkit, "write_file", Map.of("path", "seven", "content", "7 * 6")));
            expect("42\n", call(toolkit, "run_command", Map.of("command", "echo $(($(cat seven)))")));
            expect(
                    "[It ended with exit code 3 and wrote nothing.]",
                    call(toolkit, "run_command", Map.of("command", "exit 3")));
        }
        System.out.println("as it should be");
    }

    private static String call(Toolkit toolkit, String tool, Map<String, Object> input) throws JsonProcessingException {
        ToolUseBlock use = ToolUseBlock.builder()
                .id("1")
                .name(tool)
                .input(input)
                .content(new ObjectMapper().writeValueAsString(input))
                .build();
        ToolResultBlock result = toolkit.callTool(
                        ToolCallParam.builder().toolUseBlock(use).input(input).build())
                .block();
        return ((TextBlock) result.getOutput().getFirst()).getText();
    }

    private static void expect(String expected, String answer) {
        if (!answer.equals(expected)) {
            throw new AssertionError(answer);
        }
    }
}
