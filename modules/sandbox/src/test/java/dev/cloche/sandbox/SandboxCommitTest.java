package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageSummary;
import dev.cloche.linux.LockFile;
import dev.cloche.vm.GuestException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images of sandboxes whose VM is of an earlier version. */
class SandboxCommitTest {
    @TempDir
    Path root;

    @Test
    void anAgentThatCannotTellWhatHasChangedIsNamed() {
        try (TestHost host = new TestHost(root);
                RunningSandbox sandbox = host.start(TestHost.named("a"))) {
            assertThatThrownBy(() -> sandbox.commit(ImageReference.parse("made:1"), "", TestHost.soon()))
                    .isInstanceOfSatisfying(
                            GuestException.OlderAgent.class,
                            e -> assertThat(e.code()).isEqualTo("vm.older-agent"));
            assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
    }

    @Test
    void oneCommitOfASandboxComesAfterAnother() throws Exception {
        try (TestHost host = new TestHost(root);
                RunningSandbox sandbox = host.start(TestHost.named("a"))) {
            LockFile other = host.directory("a").lockCommit(TestHost.soon()).orElseThrow();
            FutureTask<ImageSummary> commit =
                    new FutureTask<>(() -> sandbox.commit(ImageReference.parse("made:1"), "", TestHost.soon()));
            Thread waiting = Thread.ofPlatform().start(commit);
            try (other) {
                await().until(() -> Arrays.stream(waiting.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("lockCommit")));
                assertThat(commit.isDone()).isFalse();
            }
            assertThatThrownBy(commit::get).hasCauseInstanceOf(GuestException.OlderAgent.class);
        }
    }
}
