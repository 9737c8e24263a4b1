package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.InstalledShare;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.ProcessView;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Durable commands whose starter also drives commands, or does not, in a real VM. */
@Timeout(1200)
class DurableStartIT {
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    static Path directory;

    static ClocheOptions options;
    static Cloche cloche;

    @BeforeAll
    static void start() {
        Path share = InstalledShare.require();
        options = ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never());
        cloche = Cloche.open(options);
        cloche.sandbox("base")
                .name("box")
                .memoryMib(256)
                .command("sleep", "600")
                .detached()
                .start();
    }

    @AfterAll
    static void end() {
        if (cloche != null) {
            cloche.sandboxes().remove("box", true);
            cloche.close();
        }
    }

    @Test
    void everyStartOfAProgramThatDrivesCommandsReturnsItsProcess() {
        try (Cloche driving = Cloche.open(options)) {
            driving.driveCommands();
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add(driving.processes()
                        .command("box", "echo", "hello")
                        .start()
                        .id());
            }
            for (String id : ids) {
                assertThat(driving.processes().await(id, LONG).orElseThrow().status())
                        .isEqualTo(ProcessStatus.COMPLETED);
            }
            assertThat(driving.processes().list(true))
                    .extracting(ProcessView::id)
                    .containsAll(ids);
        }
    }

    /** A VM has seven ports for clients; commands that one program drives there share one of them. */
    @Test
    void moreCommandsThanAVmHasPortsRunAtOnceInOneSandbox() {
        try (Cloche driving = Cloche.open(options)) {
            driving.driveCommands();
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                ids.add(driving.processes()
                        .command("box", "sh", "-c", "until [ -e /tmp/go ]; do sleep 0.2; done")
                        .start()
                        .id());
            }
            for (String id : ids) {
                assertThat(driving.processes().events(id, 0))
                        .extracting(ProcessEvent::type)
                        .contains("exec.started");
            }
            try (Sandbox box = driving.connect("box")) {
                box.files().writeString("/tmp/go", "");
            }
            for (String id : ids) {
                assertThat(driving.processes().await(id, LONG).orElseThrow().status())
                        .isEqualTo(ProcessStatus.COMPLETED);
            }
        }
    }

    /** The command may run by the time of the interrupt, so its caller has to know its id. */
    @Test
    void aStartThatIsInterruptedReturnsItsProcessAndKeepsTheInterrupt() {
        DurableCommand command = cloche.processes().command("box", "true");
        Thread.currentThread().interrupt();
        ProcessView started = command.start();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(started.status()).isEqualTo(ProcessStatus.RUNNING);
        assertThat(cloche.processes().events(started.id(), 0))
                .extracting(ProcessEvent::type)
                .containsExactly("exec.starting", "exec.started");
    }

    @Test
    void aCommandThatIsCancelledBeforeItsStartIsNotStarted() {
        String input = cloche.processes()
                .command("box", "true")
                .start()
                .process()
                .registration()
                .input()
                .payload()
                .text();
        String id = "exec-0000000000000001";
        cloche.processes()
                .registry()
                .register(ProcessRegistration.of(
                                id,
                                new ProcessInput(
                                        ProcessInput.SANDBOX_EXEC,
                                        Json.parse(input.replace("[\"true\"]", "[\"touch\",\"/tmp/never\"]"))),
                                new Provenance(SessionScope.of("session"), "host", Optional.empty()))
                        .withEventTypes(
                                EventType.plain("exec.starting"),
                                EventType.plain("exec.started"),
                                EventType.plain("exec.output")));
        cloche.processes().cancel(id, "changed my mind");
        try (Cloche driving = Cloche.open(options)) {
            driving.driveCommands();
            ProcessView end = driving.processes().await(id, LONG).orElseThrow();
            assertThat(end.status()).isEqualTo(ProcessStatus.CANCELLED);
            assertThat(end.output().orElseThrow().json().text())
                    .contains("changed my mind")
                    .doesNotContain("signal");
        }
        try (Sandbox box = cloche.connect("box")) {
            assertThat(box.exec("test", "-e", "/tmp/never").exitCode()).isEqualTo(1);
        }
    }
}
