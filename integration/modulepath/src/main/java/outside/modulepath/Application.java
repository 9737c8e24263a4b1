package outside.modulepath;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import java.util.Optional;

/** Uses what comes from resources and services of other modules: scripts of migrations, the runtime, the check of schemas. */
public final class Application {
    private Application() {}

    public static void main(String[] args) {
        require(Cloche.class.getModule().isNamed());
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.sandbox("base").start()) {
            require(sandbox.exec("echo", "hello").stdoutText().equals("hello\n"));
            require(isRefusedByItsSchema(cloche.processes().registry()));
        }
        System.out.println("as it should be");
    }

    private static boolean isRefusedByItsSchema(ProcessRegistry registry) {
        Json schema = Json.parse("{\"type\":\"object\"}");
        registry.register(ProcessRegistration.of(
                        "work",
                        new ProcessInput("work", Json.NULL),
                        new Provenance(SessionScope.of("session"), "host", Optional.empty()))
                .withEventTypes(new EventType("note", Optional.of(schema), Optional.empty(), Optional.empty())));
        try {
            registry.append("work", EventAppend.of("note", Json.NULL));
            return false;
        } catch (ProcessException.PayloadInvalid refused) {
            return true;
        }
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new AssertionError();
        }
    }
}
