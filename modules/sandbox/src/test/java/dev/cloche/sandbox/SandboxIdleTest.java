package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.sandbox.directory.SandboxUse;
import dev.cloche.vm.GuestExecution;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Sandboxes are stopped because they are not in use; says what counts as use. */
class SandboxIdleTest extends OnTestHost {
    @Test
    void anUnusedSandboxIsStopped() {
        SandboxPolicies policies = SandboxPolicies.none().withIdleTimeout(Duration.ofMillis(50));
        RunningSandbox sandbox = host.start(TestHost.named("a").withPolicies(policies));
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.STOPPED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.IDLE_TIMEOUT);
        assertThat(host.termination("a").asked()).isTrue();
        sandbox.close();
    }

    @Test
    void aSandboxWithACommandOfAnyProcessInItIsInUse() throws Exception {
        Duration timeout = Duration.ofSeconds(2);
        // It is in use until the command is, however long that takes to come.
        host.vms.portsUsed(Duration.ZERO);
        try (RunningSandbox owner = host.start(
                        TestHost.named("a").withPolicies(SandboxPolicies.none().withIdleTimeout(timeout)));
                TestHost.Opened other = host.runtime()) {
            RunningSandbox client = other.sandboxes().connect("a", TestHost.soon());
            GuestExecution use = TestHost.exec(client, "sleep", "1000");
            host.vms.portsUsed(Duration.ofHours(1));
            Awaitility.await()
                    .until(() -> SandboxUse.sinceUsed(host.directory("a"))
                            .filter(since -> since.compareTo(timeout.plusMillis(500)) > 0)
                            .isPresent());
            assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
            use.close();
            Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.STOPPED);
            assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.IDLE_TIMEOUT);
            client.close();
            assertThat(owner.name()).isEqualTo("a");
        }
    }

    @Test
    void aSandboxIsInUseWhileItsPublishedPortsAre() {
        Duration timeout = Duration.ofMillis(50);
        host.vms.portsUsed(Duration.ZERO);
        RunningSandbox sandbox = host.start(
                TestHost.named("a").withPolicies(SandboxPolicies.none().withIdleTimeout(timeout)));
        Awaitility.await()
                .until(() -> SandboxUse.sinceUsed(host.directory("a"))
                        .filter(since -> since.compareTo(timeout.multipliedBy(10)) > 0)
                        .isPresent());
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
        host.vms.portsUsed(Duration.ofHours(1));
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.STOPPED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.IDLE_TIMEOUT);
        sandbox.close();
    }
}
