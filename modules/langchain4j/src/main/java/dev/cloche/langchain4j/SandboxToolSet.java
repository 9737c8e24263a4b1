package dev.cloche.langchain4j;

import dev.cloche.Sandbox;
import dev.cloche.tools.SandboxTools;
import dev.cloche.tools.ToolDescriptions;
import dev.cloche.tools.ToolSettings;
import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import org.jspecify.annotations.Nullable;

/**
 * Gives an agent tools that run in one sandbox: code, shell commands and files.
 *
 * <pre>{@code
 * Assistant assistant = AiServices.builder(Assistant.class)
 *         .chatModel(model)
 *         .tools(SandboxToolSet.of(sandbox))
 *         .build();
 * }</pre>
 *
 * <p>The answers are those of {@link SandboxTools}. Safe for use from several threads.
 */
public final class SandboxToolSet {
    private final SandboxTools tools;

    private SandboxToolSet(SandboxTools tools) {
        this.tools = tools;
    }

    /** Returns the tools of a sandbox, which stays the caller's to close. */
    public static SandboxToolSet of(Sandbox sandbox) {
        return of(sandbox, ToolSettings.defaults());
    }

    /** Returns the tools with settings of their own. */
    public static SandboxToolSet of(Sandbox sandbox, ToolSettings settings) {
        return new SandboxToolSet(SandboxTools.of(sandbox, settings));
    }

    /** Runs a program; the language is a word of the model, which may be a wrong one. */
    @Tool(name = "run_code", value = ToolDescriptions.RUN_CODE)
    public String runCode(
            @P(ToolDescriptions.LANGUAGE) @Nullable String language, @P(ToolDescriptions.CODE) @Nullable String code) {
        return tools.runCode(language, code);
    }

    /** Runs a command line. */
    @Tool(name = "run_command", value = ToolDescriptions.RUN_COMMAND)
    public String runCommand(@P(ToolDescriptions.COMMAND) @Nullable String command) {
        return tools.runCommand(command);
    }

    /** Reads a file. */
    @Tool(name = "read_file", value = ToolDescriptions.READ_FILE)
    public String readFile(@P(ToolDescriptions.PATH) @Nullable String path) {
        return tools.readFile(path);
    }

    /** Writes a file. */
    @Tool(name = "write_file", value = ToolDescriptions.WRITE_FILE)
    public String writeFile(
            @P(ToolDescriptions.PATH) @Nullable String path, @P(ToolDescriptions.CONTENT) @Nullable String content) {
        return tools.writeFile(path, content);
    }

    /** Lists a directory. */
    @Tool(name = "list_files", value = ToolDescriptions.LIST_FILES)
    public String listFiles(@P(ToolDescriptions.PATH) @Nullable String path) {
        return tools.listFiles(path);
    }
}
