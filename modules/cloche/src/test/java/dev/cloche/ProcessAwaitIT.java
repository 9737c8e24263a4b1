package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Waits for commands that are driven, or not; no VM is started. */
@Timeout(1200)
class ProcessAwaitIT {
    private static final String COMMAND = "exec-0000000000000001";
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path home;

    private ClocheOptions options;
    private Cloche cloche;

    @BeforeEach
    void open() {
        Path share = InstalledShare.require();
        options = ClocheOptions.ofEnvironment().withHome(home).withShare(share);
        cloche = Cloche.open(options);
    }

    @AfterEach
    void close() {
        if (cloche != null) {
            cloche.close();
        }
    }

    @Test
    void aWaitForACommandThatNoProgramDrivesIsRefusedAtOnce() {
        register(COMMAND, ProcessInput.SANDBOX_EXEC);
        assertUndriven(() -> cloche.processes().await(COMMAND, LONG));
        assertUndriven(() -> cloche.processes().awaitEvents(COMMAND, 0, LONG));
        var _ = cloche.processes().registry().cancel(COMMAND, "unwanted");
        assertThat(cloche.processes().awaitEvents(COMMAND, 0, LONG)).hasSize(1);
        assertUndriven(() -> cloche.processes().awaitEvents(COMMAND, 1, LONG));
        try (ProcessLog log = cloche.processes().log(COMMAND)) {
            assertUndriven(() -> log.await(LONG));
        }
        Cloche driving = Cloche.open(options);
        driving.driveCommands();
        driving.close();
        register("exec-0000000000000002", ProcessInput.SANDBOX_EXEC);
        assertUndriven(() -> cloche.processes().await("exec-0000000000000002", LONG));
    }

    private static void assertUndriven(ThrowingCallable wait) {
        assertThatThrownBy(wait).isInstanceOfSatisfying(ClocheException.class, refused -> {
            assertThat(refused.code()).isEqualTo("process.undriven");
            assertThat(refused).hasMessageContaining("exec-000000000000000");
            assertThat(refused.remedy()).contains("driveCommands()", "cloche.processes().await(");
        });
    }

    @Test
    void aCommandIsAwaitedWhereThisOrAnotherHandleDrivesIt() {
        register(COMMAND, ProcessInput.SANDBOX_EXEC);
        try (Cloche driving = Cloche.open(options)) {
            driving.driveCommands();
            // There is no sandbox, which is for its driver to find out.
            assertThat(cloche.processes().await(COMMAND, LONG).orElseThrow().status())
                    .isEqualTo(ProcessStatus.FAILED);
            register("exec-0000000000000002", ProcessInput.SANDBOX_EXEC);
            assertThat(driving.processes()
                            .await("exec-0000000000000002", LONG)
                            .orElseThrow()
                            .status())
                    .isEqualTo(ProcessStatus.FAILED);
        }
    }

    @Test
    void anythingElseIsAwaitedAsBefore() throws InterruptedException {
        register("mine", ProcessInput.TOOL_CALL);
        assertThat(cloche.processes().await("mine", Duration.ofMillis(50))).isEmpty();
        assertThat(cloche.processes().awaitEvents("mine", 0, Duration.ofMillis(50)))
                .isEmpty();
        assertThatThrownBy(() -> cloche.processes().await("none", LONG))
                .isInstanceOfSatisfying(
                        ClocheException.class,
                        unknown -> assertThat(unknown.code()).isEqualTo("process.unknown"));
        register(COMMAND, ProcessInput.SANDBOX_EXEC);
        cloche.processes().registry().complete(COMMAND, new AwaitOutput.Success(Json.of(1), Optional.empty()));
        assertThat(cloche.processes().await(COMMAND, LONG).orElseThrow().status())
                .isEqualTo(ProcessStatus.COMPLETED);
        try (ProcessLog log = cloche.processes().log(COMMAND)) {
            assertThat(log.await(LONG)).isEmpty();
        }
    }

    private void register(String id, String type) {
        Json spec = Json.parse("{\"version\":1,\"sandbox\":{\"id\":1,\"name\":\"none\"},\"command\":[\"true\"],"
                + "\"environment\":{},\"limits\":[]}");
        cloche.processes()
                .registry()
                .register(ProcessRegistration.of(
                        id,
                        new ProcessInput(type, spec),
                        new Provenance(SessionScope.of("session"), "host", Optional.empty())));
    }
}
