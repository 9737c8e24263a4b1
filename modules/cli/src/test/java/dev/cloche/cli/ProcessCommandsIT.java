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
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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
                    .withEventTypes(
                            EventType.plain("note"),
                            new EventType(
                                    EventType.CANCEL_REQUESTED,
                                    Optional.of(Json.parse("{\"required\":[\"reason\"]}")),
                                    Optional.empty(),
                                    Optional.empty())));
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
    void whoDrivesAProcessAndWhatItWaitsForIsShownAndCanBeFiltered() {
        assertThat(done("process", "ls").stdout()).contains("a worker");
        registry.claim("running", "worker-7", Duration.ofHours(1));
        assertThat(done("process", "ls").stdout()).contains("its driver", "worker-7");
        assertThat(done("process", "inspect", "running").stdout()).contains("worker-7 since ", ", until ", "started");
        assertThat(done("process", "inspect", "--format", "json", "running").stdout())
                .contains("\"leaseOwner\" : \"worker-7\"", "\"waitsFor\" : \"driven\"");
        assertThat(done("process", "ls", "--status", "failed,abandoned").stdout())
                .contains("bad")
                .doesNotContain("good", "running");
        assertThat(done("process", "ls", "-a", "--text", "GOO", "--session", "session", "--type", "external")
                        .stdout())
                .contains("good")
                .doesNotContain("bad");
        assertThat(done("process", "ls", "-a", "--older-than", "1h").stdout()).doesNotContain("good");
        assertThat(done("process", "ls", "--count").stdout()).contains("external", "failed", "1");
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

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(1, "There is no process \"none\"", "process", "inspect", "none"),
                mistake(1, "There is no process \"none\"", "process", "events", "none"),
                mistake(1, "no process \"none\"", "process", "await", "none"),
                mistake(1, "no process \"none\"", "process", "cancel", "none"),
                mistake(1, "no process \"none\"", "process", "logs", "none"),
                mistake(1, "no process \"none\"", "process", "logs", "-f", "none"),
                mistake(1, "no command in a sandbox", "process", "logs", "running"),
                mistake(1, "has already ended", "process", "cancel", "good"),
                mistake(2, "no number of lines", "process", "logs", "--tail", "-1", "running"),
                mistake(2, "--tail", "process", "logs", "--tail", "many", "running"),
                mistake(2, "--since", "process", "logs", "--since", "yore", "running"),
                mistake(2, "--after", "process", "events", "--after", "first", "good"),
                mistake(2, "--after -1", "process", "events", "--after", "-1", "good"),
                mistake(2, "--timeout", "process", "await", "--timeout", "soon", "running"),
                mistake(2, "--unused-for", "process", "prune", "--unused-for", "ages"),
                mistake(1, "status", "process", "ls", "--status", "asleep"),
                mistake(2, "--older-than", "process", "ls", "--older-than", "ages"),
                mistake(2, "--format", "process", "ls", "--format", "xml"),
                mistake(2, "PROCESS", "process", "inspect"),
                mistake(2, "PROCESS", "process", "cancel"),
                mistake(2, "Unmatched argument", "process", "inspect", "good", "bad"),
                mistake(2, "Unknown option", "process", "ls", "--no-such-option"),
                mistake(2, "Unmatched argument", "process", "nonsense"),
                mistake(125, "no sandbox named", "exec", "-d", "none", "--", "true"),
                mistake(125, "neither a standard input nor a terminal", "exec", "-d", "-i", "none", "--", "true"),
                mistake(125, "No command is given", "exec", "-d", "none", "--"));
    }

    private static Arguments mistake(int exitCode, String said, String... arguments) {
        return Arguments.of(exitCode, said, arguments);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsAnsweredWithOneSentenceAndAnAdvice(int exitCode, String said, String[] arguments) {
        Result result = program.run(arguments);
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        assertThat(result.stderr()).startsWith("cloche: ").contains(said).doesNotContain("\tat ");
        assertThat(result.stderr().lines()).hasSize(2);
        assertThat(result.stdout()).isEmpty();
        assertThat(registry.eventsAfter("running", 0, 9)).isEmpty();
    }

    private Result done(String... arguments) {
        Result result = program.run(arguments);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result;
    }
}
