package dev.cloche.junit;

import dev.cloche.Ready;
import dev.cloche.Sandbox;
import dev.cloche.SandboxBuilder;
import dev.cloche.vm.Network;
import java.time.Duration;
import java.util.Optional;

/**
 * A sandbox with its main command, if it runs one.
 *
 * @param image as it was named
 */
record TestSandbox(Sandbox sandbox, String image, Optional<MainCommand> main) {
    /** Starts it, and its main command, which may not be ready when this returns. */
    static TestSandbox start(SandboxBuilder builder, Sandboxed settings) {
        builder.memoryMib(settings.memoryMib()).cpus(settings.cpus()).command(settings.command());
        for (String variable : settings.environment()) {
            int equals = variable.indexOf('=');
            if (equals < 1) {
                throw new TestSandboxException.NoVariable(variable);
            }
            builder.environment(variable.substring(0, equals), variable.substring(equals + 1));
        }
        for (int port : settings.publish()) {
            builder.publish(port);
        }
        builder.network(network(settings));
        Sandbox sandbox = builder.start();
        try {
            Optional<MainCommand> main = settings.imageCommand() || settings.command().length > 0
                    ? Optional.of(MainCommand.start(sandbox))
                    : Optional.empty();
            return new TestSandbox(sandbox, settings.image(), main);
        } catch (RuntimeException | Error e) {
            sandbox.close();
            throw e;
        }
    }

    /** Returns the network that it has: one at least where ports are published. */
    static Network network(Sandboxed settings) {
        return settings.publish().length > 0 ? Network.USER : settings.network();
    }

    /** Waits until the main command listens on the ports that are published. */
    void awaitReady(Sandboxed settings) {
        Duration limit = Duration.ofSeconds(settings.readySeconds());
        main.ifPresent(command -> command.await(() -> {
            for (int port : settings.publish()) {
                sandbox.await(Ready.port(port), limit);
            }
        }));
    }

    /** Returns what the main command wrote at last; empty if there is none. */
    Optional<String> output() {
        return main.map(MainCommand::output);
    }
}
