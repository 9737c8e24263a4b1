package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.ImageReference;
import dev.cloche.vm.GuestException;
import java.nio.file.Path;
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
}
