package example;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.langchain4j.SandboxToolSet;
import dev.cloche.tools.ToolSettings;
import dev.langchain4j.service.AiServices;
import java.time.Duration;

/** Answers a question by a program that it writes, runs and mends, in a VM of its own. */
public final class Agent {
    private Agent() {}

    interface Assistant {
        String answer(String question);
    }

    public static void main(String[] arguments) {
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.sandbox("base").start()) {
            Assistant assistant = AiServices.builder(Assistant.class)
                    .chatModel(new ScriptedModel()) // in its place, any ChatModel that knows tools
                    .tools(SandboxToolSet.of(sandbox, ToolSettings.defaults().withTimeout(Duration.ofSeconds(5))))
                    .build();
            String answer = assistant.answer("How many steps take 27 to 1 in the Collatz sequence?");
            System.out.println("The agent says: " + answer);
        }
    }
}
