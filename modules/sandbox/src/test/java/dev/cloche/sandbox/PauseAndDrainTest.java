package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.WriteOptions;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Sandboxes that are halted for a while, and that take no more work before they end. */
class PauseAndDrainTest extends OnTestHost {
    @Test
    void pausesAndResumes() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        sandboxes.pause("a", TestHost.soon());
        sandboxes.pause("a", TestHost.soon());
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.PAUSED);
        assertThatThrownBy(() -> sandboxes.connect("a", TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class)
                .hasMessageContaining("paused");
        sandboxes.resume("a", TestHost.soon());
        sandboxes.resume("a", TestHost.soon());
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon())) {
            assertThat(TestHost.exec(connection, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
        sandboxes.kill("a", TestHost.soon());
        assertThatThrownBy(() -> sandboxes.pause("a", TestHost.soon())).isInstanceOf(SandboxException.NotRunning.class);
    }

    @Test
    void aPausedOneStopsInOrder() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        sandboxes.pause("a", TestHost.soon());
        sandboxes.stop("a", TestHost.GRACE, TestHost.soon());
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void drainsOnceTheCommandsInItHaveFinished() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                TestHost.Opened other = host.runtime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            GuestExecution running = TestHost.exec(connection, "sleep", "1000");
            Future<?> drain = threads.submit(() -> other.sandboxes().drain("a", TestHost.soon(), TestHost.GRACE));
            awaitRefusal();
            assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.DRAINING);
            assertThatThrownBy(() -> TestHost.exec(connection, "true")).isInstanceOf(SandboxException.Draining.class);
            assertThatThrownBy(() -> connection.withFiles(files -> files))
                    .isInstanceOf(SandboxException.Draining.class);
            assertThat(drain.isDone()).isFalse();
            running.signal(15, TestHost.soon());
            running.await(TestHost.soon());
            drain.get();
        }
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
        host.startAgain("a");
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon())) {
            assertThat(TestHost.exec(connection, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
        sandboxes.kill("a", TestHost.soon());
    }

    @Test
    void drainsOnceTheFilesInItAreClosed() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                TestHost.Opened other = host.runtime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            OutputStream file =
                    connection.writeFile(files -> files.write("/tmp/long", WriteOptions.REPLACE, TestHost.soon()));
            file.write(1);
            Future<?> drain = threads.submit(() -> other.sandboxes().drain("a", TestHost.soon(), TestHost.GRACE));
            awaitRefusal();
            assertThatThrownBy(() ->
                            connection.readFile(files -> files.read("/tmp/long", 0, Long.MAX_VALUE, TestHost.soon())))
                    .isInstanceOf(SandboxException.Draining.class);
            file.write(2);
            assertThat(drain.isDone()).isFalse();
            file.close();
            drain.get();
        }
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
    }

    @Test
    void aDrainWhoseTimeIsOverStops() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                GuestExecution _ = TestHost.exec(connection, "sleep", "1000")) {
            sandboxes.drain("a", Deadline.after(Duration.ofMillis(10)), TestHost.GRACE);
        }
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
    }

    @Test
    void aDrainWhoseProcessDiedOnceItWasRecordedIsGoneOnWithByTheNext() {
        SandboxRecord a = host.startDetached(TestHost.named("a", "sleep", "1000"));
        host.here.store().ask(a.id(), TerminationReason.DRAIN_REQUESTED, SandboxTerminator.ENDABLE);
        sandboxes.drain("a", TestHost.soon(), TestHost.GRACE);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
    }

    /** It follows the record. */
    private void awaitRefusal() {
        Path mark = host.directory("a").path().resolve("draining");
        Awaitility.await().until(() -> Files.exists(mark));
    }
}
