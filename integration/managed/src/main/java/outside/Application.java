package outside;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.base.ClocheException;
import dev.cloche.micrometer.ClocheMeters;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Optional;

/**
 * Uses the library as an application does, with the versions that a framework manages: a registry, a schema and, if a VM can
 * be started, a durable command. Exits with 1 if anything is not as it should be.
 *
 * <p>Arguments: what becomes of a schema, {@code absent}, {@code unfit} or {@code checked}; {@code vm} or {@code none}; or
 * alone {@code refused}, where Cloche cannot be opened, whose reason is written.
 */
public final class Application {
    private Application() {}

    public static void main(String[] args) throws Exception {
        Cloche.prepare();
        if (args[0].equals("refused")) {
            beRefused();
            return;
        }
        try (ClocheMeters meters = new ClocheMeters(new SimpleMeterRegistry());
                Cloche cloche = Cloche.open(meters.listening(ClocheOptions.ofEnvironment()))) {
            meters.bindTo(cloche);
            useRegistry(cloche.processes().registry());
            useSchema(cloche.processes().registry(), args[0]);
            if (args[1].equals("vm")) {
                runDurably(cloche);
            }
        }
        System.out.println("as it should be");
    }

    /** Twice, because the JVM has another error for a class whose first use failed. */
    private static void beRefused() {
        for (int i = 0; i < 2; i++) {
            try {
                Cloche.open().close();
                throw new AssertionError("opened");
            } catch (ClocheException refused) {
                System.out.println(refused.code() + ": " + refused.sentence());
            }
        }
        Cloche.examine(ClocheOptions.ofEnvironment())
                .forEach(check -> System.out.println(check.verdict() + " " + check.name()));
    }

    private static void useRegistry(ProcessRegistry registry) {
        registry.register(registration("work", EventType.plain("note")));
        var _ = registry.append("work", EventAppend.of("note", Json.parse("{\"b\":1e-7,\"a\":[1.50,\"\\u0001\"]}")));
        require(registry.eventsAfter("work", 0, 1).getFirst().payload().text(), "{\"a\":[1.5,\"\\u0001\"],\"b\":1e-7}");
        var _ = registry.complete("work", new AwaitOutput.Success(Json.of(7), Optional.empty()));
        require(registry.get("work").orElseThrow().status().word(), "completed");
    }

    private static void useSchema(ProcessRegistry registry, String expected) {
        Json schema = Json.parse("{\"type\":\"object\",\"required\":[\"n\"]}");
        String became;
        try {
            registry.register(registration(
                    "checked", new EventType("checked", Optional.of(schema), Optional.empty(), Optional.empty())));
            var _ = registry.append("checked", EventAppend.of("checked", Json.parse("{\"n\":1}")));
            registry.append("checked", EventAppend.of("checked", Json.NULL));
            became = "passed over";
        } catch (ProcessException.SchemasMissing absent) {
            became = "absent";
        } catch (ProcessException.Invalid unfit) {
            require(Boolean.toString(unfit.getMessage().contains("jackson-annotations")), "true");
            became = "unfit";
        } catch (ProcessException.PayloadInvalid refused) {
            became = "checked";
        }
        require(became, expected);
    }

    private static void runDurably(Cloche cloche) throws Exception {
        var _ = cloche.sandbox("base")
                .name("box")
                .memoryMib(256)
                .command("sleep", "600")
                .detached()
                .start();
        try {
            cloche.driveCommands();
            String id =
                    cloche.processes().command("box", "echo", "hello").start().id();
            var _ = cloche.processes().await(id, Duration.ofMinutes(5)).orElseThrow();
            require(
                    Json.parse(cloche.processes()
                                    .registry()
                                    .get(id)
                                    .orElseThrow()
                                    .output()
                                    .orElseThrow()
                                    .json()
                                    .text())
                            .text(),
                    "{\"type\":\"success\",\"value\":{\"exitCode\":0}}");
        } finally {
            cloche.sandboxes().remove("box", true);
        }
    }

    private static ProcessRegistration registration(String id, EventType type) {
        return ProcessRegistration.of(
                        id,
                        new ProcessInput("work", Json.NULL),
                        new Provenance(SessionScope.of("session"), "host", Optional.empty()))
                .withEventTypes(type);
    }

    private static void require(String actual, String expected) {
        if (!actual.equals(expected)) {
            throw new AssertionError(actual + " for " + expected);
        }
    }
}
