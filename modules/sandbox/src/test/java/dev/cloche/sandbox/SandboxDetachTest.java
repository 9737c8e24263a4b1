package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.vm.VmId;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A sandbox that its owner lets go of. */
class SandboxDetachTest extends OnTestHost {
    @Test
    void goesOnWithoutItsOwnerAndCanBeStoppedByAnother() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        sandbox.detach();
        sandbox.close();
        sandboxes.close();
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
        try (TestHost.Opened other = host.runtime()) {
            assertThat(other.sandboxes().get("a").latestRun().orElseThrow().detached())
                    .isTrue();
            try (RunningSandbox connection = other.sandboxes().connect("a", TestHost.soon())) {
                assertThat(TestHost.exec(connection, "true")
                                .await(TestHost.soon())
                                .success())
                        .isTrue();
            }
            other.sandboxes().stop("a", Duration.ofSeconds(5), TestHost.soon());
        }
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void anEphemeralOneIsRemovedByTheProcessThatFindsItEnded() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        VmId vm = SandboxTerminator.vmOf(host.row("a").orElseThrow());
        sandbox.detach();
        host.vms.memory.crash(vm);
        Awaitility.await().until(() -> sandboxes.list().isEmpty());
        host.assertNothingLeft();
    }

    @Test
    void oneThatHasEndedStaysEnded() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        host.vms.memory.crash(SandboxTerminator.vmOf(host.row("a").orElseThrow()));
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.CRASHED);
        sandbox.detach();
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.CRASHED);
    }

    @Test
    void aConnectionIsOnlyLetGoOf() {
        try (RunningSandbox owner = host.start(TestHost.named("a"))) {
            sandboxes.connect("a", TestHost.soon()).detach();
            assertThat(host.row("a").orElseThrow().latestRun().orElseThrow().detached())
                    .isFalse();
            assertThat(owner.name()).isEqualTo("a");
        }
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
    }
}
