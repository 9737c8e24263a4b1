package dev.cloche.langchain4j;

import dev.cloche.Sandbox;
import dev.cloche.tools.CodeLanguage;
import dev.cloche.tools.SandboxTools;
import dev.cloche.tools.ToolSettings;
import dev.langchain4j.code.CodeExecutionEngine;

/**
 * Runs code of one language in a sandbox. Every run is a new process; what it leaves in files stays for the next.
 *
 * <pre>{@code
 * CodeExecutionEngine engine = SandboxCodeEngine.of(sandbox, CodeLanguage.PYTHON);
 * String answer = engine.execute("print(6 * 7)");
 * }</pre>
 *
 * <p>The answer is what {@link SandboxTools#runCode} says: also where the code fails, or cannot be run. Safe for use from
 * several threads.
 */
public final class SandboxCodeEngine implements CodeExecutionEngine {
    private final SandboxTools tools;
    private final CodeLanguage language;

    private SandboxCodeEngine(SandboxTools tools, CodeLanguage language) {
        this.tools = tools;
        this.language = language;
    }

    /** Returns an engine for a sandbox, which stays the caller's to close. */
    public static SandboxCodeEngine of(Sandbox sandbox, CodeLanguage language) {
        return of(sandbox, language, ToolSettings.defaults());
    }

    /** Returns an engine with settings of its own. */
    public static SandboxCodeEngine of(Sandbox sandbox, CodeLanguage language, ToolSettings settings) {
        return new SandboxCodeEngine(SandboxTools.of(sandbox, settings), language);
    }

    @Override
    public String execute(String code) {
        return tools.runCode(language, code);
    }
}
