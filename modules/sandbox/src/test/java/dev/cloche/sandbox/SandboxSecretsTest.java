package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.pool.Preparation;
import dev.cloche.sandbox.directory.KeptSecrets;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.lifecycle.StartPlan;
import dev.cloche.sandbox.lifecycle.SuspensionRecovery;
import dev.cloche.sandbox.warm.GuestSetup;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets, which only the guest's root may read, come to the right sandboxes and nowhere else. On VMs in memory. */
class SandboxSecretsTest {
    private static final String VALUE = "hunter2 of this test";
    private static final Secrets TOKEN = Secrets.none().with("token", VALUE);

    @TempDir
    Path directory;

    private TestHost host;

    @BeforeEach
    void open() {
        host = new TestHost(directory);
    }

    @AfterEach
    void close() {
        host.close();
    }

    private static SandboxSpec unnamed() {
        return TestHost.spec(Optional.empty(), "bare").withSecrets(TOKEN);
    }

    private StartKind kindOfOneThatHasIt() throws IOException {
        try (RunningSandbox sandbox = host.start(unnamed())) {
            assertThat(token(sandbox)).isEqualTo(VALUE);
            assertThat(filesWithIt()).isEmpty();
            return sandbox.timings().orElseThrow().kind();
        }
    }

    private static String token(RunningSandbox sandbox) throws IOException {
        return TestHost.output(TestHost.exec(sandbox, "cat", "/run/secrets/token"));
    }

    private String tokenOf(String name) throws IOException {
        try (RunningSandbox client = host.here.sandboxes().connect(name, TestHost.soon())) {
            return token(client);
        }
    }

    /** Of this host; as it is or as it is kept. */
    private List<Path> filesWithIt() throws IOException {
        String kept = Base64.getEncoder().encodeToString(VALUE.getBytes(StandardCharsets.UTF_8));
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> {
                        String content = content(file);
                        return content.contains(VALUE) || content.contains(kept);
                    })
                    .toList();
        }
    }

    private static String content(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path kept(String name) {
        return host.directory(name).path().resolve("secrets");
    }

    @Test
    void aBootedARestoredAndAWarmGuestHasIt() throws IOException {
        assertThat(kindOfOneThatHasIt()).isEqualTo(StartKind.COLD);
        SandboxSpec shape = TestHost.spec(Optional.empty(), "bare");
        assertThat(host.here.sandboxes().makeTemplate(shape, PullListener.none(), TestHost.soon()))
                .isPresent();
        assertThat(kindOfOneThatHasIt()).isEqualTo(StartKind.RESTORED);
        SandboxPools pools = host.here.sandboxes().pools();
        pools.set(PoolShape.of("bare", 256, 1), TestHost.pool(1, Duration.ofHours(1)), Preparation.NONE);
        assertThat(pools.fill(PullListener.none())).isEmpty();
        assertThat(kindOfOneThatHasIt()).isEqualTo(StartKind.WARM);
        host.here.sandboxes().pools().remove(PoolShape.of("bare", 256, 1));
    }

    @Test
    void anotherSandboxOfTheSameTemplateHasNothingOfIt() throws IOException {
        var _ = host.here
                .sandboxes()
                .makeTemplate(TestHost.spec(Optional.empty(), "bare"), PullListener.none(), TestHost.soon());
        assertThat(kindOfOneThatHasIt()).isEqualTo(StartKind.RESTORED);
        try (RunningSandbox other = host.start(TestHost.spec(Optional.empty(), "bare"))) {
            assertThat(token(other)).isEmpty();
        }
    }

    @Test
    void aSandboxThatIsStartedAgainHasItFromAFileThatOnlyThisUserMayRead() throws IOException {
        host.startDetached(TestHost.named("kept", "sleep", "600").withSecrets(TOKEN));
        assertThat(tokenOf("kept")).isEqualTo(VALUE);
        assertThat(filesWithIt()).containsExactly(kept("kept"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept("kept"))))
                .isEqualTo("rw-------");

        host.here.sandboxes().stop("kept", Duration.ZERO, TestHost.soon());
        host.here.sandboxes().start("kept", PullListener.none(), TestHost.soon());
        assertThat(tokenOf("kept")).isEqualTo(VALUE);
        host.here.sandboxes().rename("kept", "other");
        host.here.sandboxes().restart("other", Duration.ZERO, TestHost.soon());
        assertThat(tokenOf("other")).isEqualTo(VALUE);

        host.here.sandboxes().remove("other", true, TestHost.soon());
        assertThat(filesWithIt()).isEmpty();
        host.assertNothingLeft();
    }

    @Test
    void oneThatWasOnlyCreatedHasItWhenItStarts() throws IOException {
        SandboxSpec spec = TestHost.ephemeral("later", "sleep", "600").withSecrets(TOKEN);
        host.here.sandboxes().create(spec, CommandOptions.none(), PullListener.none(), TestHost.soon());
        host.here.sandboxes().start("later", PullListener.none(), TestHost.soon());
        assertThat(tokenOf("later")).isEqualTo(VALUE);
        host.here.sandboxes().kill("later", TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void anEphemeralOneThatOutlivesItsStarterLeavesItNowhere() throws IOException {
        host.startDetached(TestHost.ephemeral("d", "sleep", "600").withSecrets(TOKEN));
        assertThat(tokenOf("d")).isEqualTo(VALUE);
        assertThat(filesWithIt()).isEmpty();
        host.here.sandboxes().kill("d", TestHost.soon());
    }

    @Test
    void aChildHasNoneOfItsOriginalsUnlessTheyAreToBeKept() throws IOException {
        try (RunningSandbox parent = host.start(unnamed())) {
            assertThat(tokenOfChild(parent, ChildSpec.unnamed())).isEmpty();
            assertThat(tokenOfChild(parent, ChildSpec.unnamed().withRunning(true)))
                    .isEmpty();
            assertThat(tokenOfChild(parent, ChildSpec.unnamed().withSecrets(Secrets.none(), true)))
                    .isEqualTo(VALUE);
            assertThat(token(parent)).isEqualTo(VALUE);
            assertThat(filesWithIt()).isEmpty();
            SandboxSnapshots snapshots = host.here.sandboxes().snapshots();
            snapshots.take(parent.name(), "kept", TestHost.soon());
            try (RunningSandbox restored = snapshots.restore("kept", ChildSpec.unnamed(), TestHost.soon())) {
                assertThat(token(restored)).isEmpty();
            }
            snapshots.remove("kept");
        }
        assertThatThrownBy(() -> ChildSpec.unnamed().withSecrets(TOKEN, true))
                .isInstanceOf(SandboxException.InvalidSpecification.class)
                .hasMessageNotContaining(VALUE);
    }

    private String tokenOfChild(RunningSandbox parent, ChildSpec spec) throws IOException {
        RunningSandbox child = host.here
                .sandboxes()
                .snapshots()
                .fork(parent.id(), List.of(spec), TestHost.soon())
                .children()
                .getFirst();
        try (child) {
            return token(child);
        }
    }

    @Test
    void aChildsOwnAreThereWhenItIsStartedAgainAndItsOriginalsAreNot() throws IOException {
        Secrets own = Secrets.none().with("token", "the child's");
        SandboxSpec parent = TestHost.ephemeral("parent", "sleep", "600").withSecrets(TOKEN);
        host.startDetached(parent);
        SandboxSnapshots snapshots = host.here.sandboxes().snapshots();
        long id = host.row("parent").orElseThrow().id();
        ChildSpec detached = ChildSpec.unnamed().withDetached(true);
        snapshots.forkDetached(
                id,
                List.of(
                        detached.withName("own").withSecrets(own, false),
                        detached.withName("originals").withSecrets(Secrets.none(), true)),
                TestHost.soon());
        assertThat(tokenOf("own")).isEqualTo("the child's");
        assertThat(tokenOf("originals")).isEqualTo(VALUE);
        for (String child : List.of("own", "originals")) {
            host.here.sandboxes().restart(child, Duration.ZERO, TestHost.soon());
        }
        assertThat(tokenOf("own")).isEqualTo("the child's");
        assertThat(tokenOf("originals")).isEmpty();
        assertThat(filesWithIt()).isEmpty();
        for (String each : List.of("own", "originals", "parent")) {
            host.here.sandboxes().remove(each, true, TestHost.soon());
        }
        host.assertNothingLeft();
    }

    @Test
    void oneThatIsSuspendedKeepsThemUnlessTheyAreToGo() throws IOException {
        Secrets other = Secrets.none().with("token", "another");
        host.startDetached(TestHost.named("web", "sleep", "600").withSecrets(TOKEN));
        SandboxManager sandboxes = host.here.sandboxes();
        sandboxes.suspend("web", TestHost.soon());
        assertThatThrownBy(() -> sandboxes.suspendWithoutSecrets("web", TestHost.soon()))
                .as("they are in its memory")
                .isInstanceOf(SandboxException.NotRunning.class);
        sandboxes.resume("web", TestHost.soon());
        assertThat(tokenOf("web")).isEqualTo(VALUE);
        assertThatThrownBy(() -> sandboxes.resume("web", other, TestHost.soon()))
                .isInstanceOf(SandboxException.InvalidSpecification.class)
                .hasMessageContaining("is not suspended");
        sandboxes.pause("web", TestHost.soon());
        assertThatThrownBy(() -> sandboxes.suspendWithoutSecrets("web", TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class)
                .hasMessageContaining("paused");
        sandboxes.resume("web", TestHost.soon());
        assertThat(tokenOf("web")).isEqualTo(VALUE);

        sandboxes.suspendWithoutSecrets("web", TestHost.soon());
        assertThat(filesWithIt()).isEmpty();
        sandboxes.resume("web", TestHost.soon());
        assertThat(tokenOf("web")).isEmpty();

        sandboxes.suspend("web", TestHost.soon());
        sandboxes.resume("web", TOKEN, TestHost.soon());
        assertThat(tokenOf("web")).isEqualTo(VALUE);
        sandboxes.suspend("web", TestHost.soon());
        sandboxes.resume("web", other, TestHost.soon());
        assertThat(tokenOf("web")).isEqualTo("another");
        assertThat(filesWithIt()).isEmpty();
        sandboxes.restart("web", Duration.ZERO, TestHost.soon());
        assertThat(tokenOf("web")).isEqualTo("another");
        sandboxes.remove("web", true, TestHost.soon());
    }

    @Test
    void anEphemeralOneThatIsResumedWithThemKeepsThemNowhere() throws IOException {
        host.startDetached(TestHost.ephemeral("web", "sleep", "600"));
        host.here.sandboxes().suspendWithoutSecrets("web", TestHost.soon());
        host.here.sandboxes().resume("web", TOKEN, TestHost.soon());
        assertThat(tokenOf("web")).isEqualTo(VALUE);
        assertThat(filesWithIt()).isEmpty();
        host.here.sandboxes().kill("web", TestHost.soon());
    }

    /** A process that was to resume it with others has died after it kept them. */
    @Test
    void oneThatIsResumedHasWhatIsKept() throws IOException {
        host.startDetached(TestHost.named("web", "sleep", "600").withSecrets(TOKEN));
        host.here.sandboxes().suspend("web", TestHost.soon());
        new KeptSecrets(host.directory("web").path()).write(Secrets.none().with("token", "another"));
        host.here.sandboxes().resume("web", TestHost.soon());
        assertThat(tokenOf("web")).isEqualTo("another");
        Files.writeString(kept("web"), "cloche-secrets 1\ntoken no base64!\n");
        host.here.sandboxes().suspend("web", TestHost.soon());
        assertThatThrownBy(() -> host.here.sandboxes().resume("web", TestHost.soon()))
                .isInstanceOf(SandboxException.StorageFailed.class);
        assertThat(host.here.sandboxes().get("web").status()).isEqualTo(SandboxStatus.SUSPENDED);
        host.here.sandboxes().remove("web", true, TestHost.soon());
    }

    /** The process that resumed it with others has died before its guest went on. */
    @Test
    void aResumeThatIsFinishedByAnotherProcessGivesWhatIsKept() throws IOException {
        host.startDetached(TestHost.named("web", "sleep", "600").withSecrets(TOKEN));
        SandboxRecord web = host.here.sandboxes().get("web");
        try (Vm vm = host.vms.adopt(SandboxTerminator.vmOf(web), TestHost.soon())) {
            vm.pause(TestHost.soon());
        }
        new KeptSecrets(host.directory("web").path()).write(Secrets.none().with("token", "another"));
        try (SandboxParts parts = host.parts()) {
            new SuspensionRecovery(parts.context()).goOn(web, TestHost.soon());
        }
        assertThat(tokenOf("web")).isEqualTo("another");
        host.here.sandboxes().kill("web", TestHost.soon());
    }

    @Test
    void whatIsDamagedIsSaidAndNotRepeated() throws IOException {
        host.startDetached(TestHost.named("kept", "sleep", "600").withSecrets(TOKEN));
        Files.writeString(kept("kept"), "cloche-secrets 1\ntoken no base64!\n");
        host.here.sandboxes().stop("kept", Duration.ZERO, TestHost.soon());
        assertThatThrownBy(() -> host.here.sandboxes().start("kept", PullListener.none(), TestHost.soon()))
                .isInstanceOf(SandboxException.StorageFailed.class)
                .hasMessageContaining("damaged")
                .hasMessageNotContaining("no base64!");
        Files.writeString(kept("kept"), "something else\n");
        assertThatThrownBy(() -> host.here.sandboxes().start("kept", PullListener.none(), TestHost.soon()))
                .hasMessageContaining("damaged")
                .hasMessageNotContaining("something else");
        host.here.sandboxes().remove("kept", true, TestHost.soon());
    }

    @Test
    void whatNoGuestTakesIsRefusedBeforeAnythingIsDone() {
        for (String name : List.of("", ".hidden", "a/b", "a b", "a".repeat(65))) {
            assertThatThrownBy(() -> Secrets.none().with(name, VALUE))
                    .isInstanceOf(VmException.Invalid.class)
                    .hasMessageNotContaining(VALUE);
        }
        assertThatThrownBy(() -> Secrets.none().with("large", new byte[65_537]))
                .isInstanceOf(VmException.Invalid.class)
                .hasMessageContaining("too large");
    }

    @Test
    void noTextHasTheValue() {
        assertThat(unnamed().toString()).contains("token").doesNotContain(VALUE);
        assertThat(new GuestSetup("host", TOKEN).toString()).contains("token").doesNotContain(VALUE);
        assertThat(StartPlan.of(unnamed(), CommandOptions.none()).toString())
                .contains("token")
                .doesNotContain(VALUE);
    }
}
