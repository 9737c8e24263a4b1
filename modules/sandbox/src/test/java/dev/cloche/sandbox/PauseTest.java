package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.GuestExecution;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a sandbox when something happens between the record of a pause and the halt of the guest. */
class PauseTest {
    @TempDir
    Path root;

    private TestHost host;
    private Sandboxes sandboxes;

    @BeforeEach
    void start() {
        host = new TestHost(root);
        sandboxes = host.here.sandboxes();
        host.startDetached(TestHost.named("a", "sleep", "1000"));
    }

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void aGuestIsHaltedOnceThatIsRecorded() {
        host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> assertThat(status()).isEqualTo(SandboxStatus.PAUSED));
        sandboxes.pause("a", TestHost.soon());
        assertThat(status()).isEqualTo(SandboxStatus.PAUSED);
    }

    @Test
    void oneThatCannotBeHaltedRunsOn() {
        host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> {
            throw new IllegalStateException("the disk is full");
        });
        assertThatThrownBy(() -> sandboxes.pause("a", TestHost.soon())).hasMessage("the disk is full");
        assertThat(status()).isEqualTo(SandboxStatus.RUNNING);
        assertAnswers();
    }

    @Test
    void whoeverResumesItMeanwhileHasTheLastWord() {
        host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> sandboxes.resume("a", TestHost.soon()));
        sandboxes.pause("a", TestHost.soon());
        assertThat(status()).isEqualTo(SandboxStatus.RUNNING);
        assertAnswers();
    }

    @Test
    void whoeverDrainsItMeanwhileFindsAGuestThatAnswers() {
        host.vms.beforeNext(
                ScriptedVms.Step.PAUSE,
                _ -> assertThat(host.here.store().move(id(), SandboxStatus.PAUSED, SandboxStatus.DRAINING))
                        .isTrue());
        sandboxes.pause("a", TestHost.soon());
        sandboxes.stop("a", Duration.ofSeconds(5), TestHost.soon());
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void onePausedByAProcessThatDiedBeforeTheHaltIsHaltedByTheNextAndResumed() {
        host.here.store().move(id(), SandboxStatus.RUNNING, SandboxStatus.PAUSED);
        boolean[] halted = new boolean[1];
        host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> halted[0] = true);
        sandboxes.pause("a", TestHost.soon());
        assertThat(halted[0]).isTrue();
        sandboxes.resume("a", TestHost.soon());
        assertAnswers();
    }

    private long id() {
        return host.row("a").orElseThrow().id();
    }

    private SandboxStatus status() {
        return host.row("a").orElseThrow().status();
    }

    private void assertAnswers() {
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                GuestExecution execution = TestHost.exec(connection, "true")) {
            assertThat(execution.await(TestHost.soon()).success()).isTrue();
        }
    }
}
