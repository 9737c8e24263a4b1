package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.cli.Program.Result;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.FailureClass;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche process} beside a program that uses the library; no VM is started. */
class ProcessCommandsIT {
    @TempDir
    Path home;

    private Program program;
    private Cloche cloche;
    private ProcessRegistry registry;

    @BeforeEach
    void open() {
        program = Program.in(home);
        cloche = Cloche.open(ClocheOptions.ofEnvironment().withHome(home));
        registry = cloche.processes().registry();
        for (String id : new String[] {"good", "bad", "running"}) {
            registry.register(ProcessRegistration.of(
                            id,
                            new ProcessInput(ProcessInput.EXTERNAL, Json.parse("{\"metadata\":[1]}")),
                            new Provenance(SessionScope.of("session"), "host", Optional.empty()))
                    .withEventTypes(EventType.plain("note")));
        }
        registry.append("good", EventAppend.of("note", Json.parse("{\"text\":\"a\\u001b[31mb\"}")));
        registry.complete("good", new AwaitOutput.Success(Json.of(7), Optional.empty()));
        registry.complete("bad", new AwaitOutput.Failure(FailureClass.TIMEOUT, "late", "too late", Optional.empty()));
    }

    @AfterEach
    void close() {
        cloche.close();
    }

    @Test
    void processesAreListedAndInspected() {
        assertThat(done("process", "ls").stdout())
                .contains("running", "external")
                .doesNotContain("good");
        assertThat(done("process", "ls", "--all", "--format", "json").stdout())
                .contains("\"id\" : \"good\"", "\"output\" : {\"type\":\"success\",\"value\":7}", "\"output\" : null");
        assertThat(done("process", "inspect", "bad").stdout()).contains("failed", "too late", "rerunnable");
        Result none = program.run("process", "inspect", "none");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.stderr()).contains("There is no process \"none\"");
    }

    @Test
    void eventsArePrintedAndFollowedToTheEnd() {
        assertThat(done("process", "events", "good").stdout())
                .contains("1  ", "note", "2  ", "process.completed")
                .doesNotContain("\u001b");
        assertThat(done("process", "events", "--after", "1", "-f", "--format", "json", "good")
                        .stdout())
                .startsWith("{\"sequence\":2,\"type\":\"process.completed\",\"payload\":{\"await_output\":{");
    }

    @Test
    void theEndIsAwaitedAndToldByTheExitCode() {
        Result good = program.run("process", "await", "good");
        assertThat(good.exitCode()).isZero();
        assertThat(good.stdout()).isEqualTo("{\"type\":\"success\",\"value\":7}\n");
        assertThat(program.run("process", "await", "bad").exitCode()).isEqualTo(1);
        assertThat(program.run("process", "await", "--timeout", "50ms", "running")
                        .exitCode())
                .isEqualTo(124);
    }

    @Test
    void aCancelIsAskedForAndEndedOnesAreForgotten() {
        assertThat(done("process", "cancel", "--reason", "enough", "running").stdout())
                .isEqualTo("running\n");
        assertThat(registry.eventsAfter("running", 0, 9))
                .extracting(event -> event.payload().text())
                .containsExactly("{\"reason\":\"enough\"}");
        assertThat(program.run("process", "cancel", "good").stderr()).contains("has already ended");
        assertThat(done("process", "prune", "--unused-for", "1h").stdout()).isEmpty();
        assertThat(done("process", "prune").stdout().lines()).containsExactly("bad", "good");
        assertThat(done("process", "ls", "-a").stdout()).contains("running").doesNotContain("bad");
    }

    private Result done(String... arguments) {
        Result result = program.run(arguments);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result;
    }
}
