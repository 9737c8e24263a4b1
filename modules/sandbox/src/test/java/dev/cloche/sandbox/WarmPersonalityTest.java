package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.pool.Preparation;
import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vm.SpawnException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A VM that was started for no caller in particular becomes one caller's sandbox, and nothing of it comes to the next:
 * on VMs in memory, which have no network. {@code SandboxSecretsTest} has the secrets, {@code WarmSandboxIT} all of it
 * in real VMs.
 */
class WarmPersonalityTest {
    private static final PoolShape SHAPE = PoolShape.of("bare", 256, 1);

    @TempDir
    Path directory;

    private TestHost host;

    @BeforeEach
    void fill() {
        host = new TestHost(directory);
        host.here.sandboxes().pools().set(SHAPE, TestHost.pool(2, Duration.ofHours(1)), Preparation.NONE);
        assertThat(host.here.sandboxes().pools().fill(PullListener.none())).isEmpty();
    }

    @AfterEach
    void close() {
        host.here.sandboxes().pools().remove(SHAPE);
        host.close();
    }

    private RunningSandbox warm(SandboxSpec spec) {
        RunningSandbox sandbox = host.start(spec);
        assertThat(sandbox.timings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
        return sandbox;
    }

    private static SandboxSpec plainSpec() {
        return TestHost.spec(Optional.empty(), "bare");
    }

    private static String output(RunningSandbox sandbox, CommandOptions options, String command) throws IOException {
        return TestHost.output(sandbox.exec(List.of(command), options, TestHost.soon()));
    }

    private static String read(RunningSandbox sandbox, String path) {
        return new String(
                sandbox.withFiles(files -> files.readAllBytes(path, 1000, TestHost.soon())), StandardCharsets.UTF_8);
    }

    @Test
    void itsFilesAreThereAndTheNextOnesAreNot() throws IOException {
        Path tree = Files.createDirectories(directory.resolve("tree/below"));
        Files.writeString(tree.resolve("given"), "to this one");
        try (RunningSandbox sandbox = warm(plainSpec())) {
            var _ = sandbox.withFiles(files -> files.copyIn(
                    directory.resolve("tree"), "/work", CopyOptions.DEFAULT, CopyListener.silent(), TestHost.soon()));
            assertThat(read(sandbox, "/work/below/given")).isEqualTo("to this one");
        }
        try (RunningSandbox next = warm(plainSpec())) {
            assertThatThrownBy(() -> read(next, "/work/below/given")).isInstanceOf(GuestFileException.NoSuchFile.class);
        }
    }

    @Test
    void itsCommandsHaveTheirVariablesUserAndDirectory() throws IOException {
        CommandOptions own =
                new CommandOptions(Map.of("COLOUR", "blue"), Optional.of("/tmp"), Optional.of("0:0"), false);
        try (RunningSandbox sandbox = warm(plainSpec())) {
            assertThat(output(sandbox, own, "env")).contains("COLOUR=blue\n");
            assertThat(output(sandbox, own, "pwd")).isEqualTo("/tmp\n");
            CommandOptions unknown = new CommandOptions(Map.of(), Optional.empty(), Optional.of("no-such-user"), false);
            assertThatThrownBy(() -> output(sandbox, unknown, "true")).isInstanceOf(SpawnException.UnknownUser.class);
            assertThat(output(sandbox, CommandOptions.none(), "env")).doesNotContain("COLOUR");
        }
    }

    @Test
    void itsHostNameAndLabelsAreItsOwn() throws IOException {
        try (RunningSandbox one = warm(TestHost.ephemeral("one").withLabels(Map.of("team", "search")));
                RunningSandbox two = warm(TestHost.ephemeral("two"))) {
            assertThat(output(one, CommandOptions.none(), "hostname")).isEqualTo("one\n");
            assertThat(output(two, CommandOptions.none(), "hostname")).isEqualTo("two\n");
            assertThat(host.here.sandboxes().inspect("one").labels()).isEqualTo(Map.of("team", "search"));
            assertThat(host.here.sandboxes().inspect("two").labels()).isEmpty();
        }
    }
}
