package dev.cloche.junit;

import dev.cloche.Ready;
import dev.cloche.Sandbox;
import dev.cloche.SandboxBuilder;
import java.util.Optional;

/**
 * A sandbox with its main command, if it runs one.
 *
 * @param image as it was named
 */
record TestSandbox(Sandbox sandbox, String image, Optional<MainCommand> main) {
    /** Starts it, and its main command, which may not be ready when this returns. */
    static TestSandbox start(SandboxBuilder builder, SandboxSettings settings) {
        settings.configure(builder);
        Sandbox sandbox = builder.start();
        try {
            if (!settings.publishes()) {
                settings.ports().forEach(port -> sandbox.ports().of(port));
            }
            Optional<MainCommand> main =
                    settings.main() ? Optional.of(MainCommand.start(sandbox, settings.texts())) : Optional.empty();
            return new TestSandbox(sandbox, settings.image(), main);
        } catch (RuntimeException | Error e) {
            sandbox.close();
            throw e;
        }
    }

    /** Waits until what it runs is as the settings want it. */
    void awaitReady(SandboxSettings settings) {
        main.ifPresent(command -> command.await(() -> settings.conditions().forEach(condition -> {
            if (condition instanceof Ready.Log(String text)) {
                command.awaitText(text, settings.readyLimit());
            } else {
                sandbox.await(condition, settings.readyLimit());
            }
        })));
    }

    /** Returns what the main command wrote at last; empty if there is none. */
    Optional<String> output() {
        return main.map(MainCommand::output);
    }
}
