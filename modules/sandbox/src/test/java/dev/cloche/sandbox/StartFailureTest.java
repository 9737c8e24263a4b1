package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDamaged;
import dev.cloche.image.ImageException;
import dev.cloche.image.ImageNotFound;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.testing.InMemoryFaults;
import dev.cloche.vm.testing.InMemoryProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A start that fails at any step leaves nothing: no row, no pin, no VM, no thread. */
class StartFailureTest extends OnTestHost {
    private final VmException refusal = refused();

    @AfterEach
    void nothingIsLeft() {
        host.vms.noMoreScripts();
        host.assertNothingLeft();
    }

    @Test
    void aBadReference() {
        assertThatThrownBy(() -> host.start(TestHost.spec(Optional.of("a"), "Not A Reference")))
                .isInstanceOf(ImageException.class);
    }

    @Test
    void anImageThatIsNotHereAndMustNotBeFetched() {
        SandboxSpec spec = TestHost.named("a").withPullPolicy(PullPolicy.NEVER);
        assertThatThrownBy(() -> host.start(spec)).isInstanceOf(ImageNotFound.class);
    }

    @Test
    void aDetachedSandboxWithoutACommand() {
        assertThatThrownBy(() -> host.startDetached(TestHost.named("a")))
                .isInstanceOf(SandboxException.NoCommand.class);
    }

    @Test
    void aDetachedCommandThatIsNotThere() {
        assertThatThrownBy(() -> host.startDetached(TestHost.named("a", "missing")))
                .isInstanceOf(SpawnException.class);
    }

    @Test
    void aBootThatEndsAgainAndAgain() throws Exception {
        host.vms.faults.hangBoots(2);
        FutureTask<Throwable> failure = new FutureTask<>(() -> catchThrowable(() -> host.start(TestHost.named("a"))));
        Thread.ofVirtual().start(failure);
        Awaitility.await().until(() -> {
            crashWhatBoots();
            return failure.isDone();
        });
        assertThat(failure.get()).isInstanceOf(VmException.StartFailed.class).hasMessageContaining("2 attempts");
    }

    @Test
    void aDamagedImageIsMadeAgainByTheStartThatFailsOverIt() throws Exception {
        host.start(TestHost.ephemeral("a")).close();
        Path fsmeta = onlyFile(root.resolve("cache/fsmeta"));
        byte[] sound = Files.readAllBytes(fsmeta);
        VmException noBoot = noBoot();
        AtomicBoolean damaged = new AtomicBoolean();
        host.vms.before(ScriptedVms.Step.CREATE, id -> {
            // After the start has looked at its files.
            if (!damaged.getAndSet(true)) {
                overwrite(fsmeta, new byte[sound.length]);
            }
            if (!Arrays.equals(contentOf(fsmeta), sound)) {
                throw noBoot;
            }
        });

        host.start(TestHost.ephemeral("a")).close();

        assertThat(fsmeta).hasBinaryContent(sound);
    }

    @Test
    void aDamagedImageThatNothingHasAnyMoreIsNamed() throws Exception {
        host.start(TestHost.ephemeral("a")).close();
        Path layer = onlyFile(root.resolve("cache/layers"));
        Files.write(layer, new byte[(int) Files.size(layer)]);
        Path layout = root.resolve("layout-bare");
        Files.move(layout, root.resolve("elsewhere"));
        VmException noBoot = noBoot();
        host.vms.before(ScriptedVms.Step.CREATE, id -> {
            throw noBoot;
        });

        assertThatThrownBy(() -> host.start(TestHost.ephemeral("a")))
                .isInstanceOf(ImageDamaged.class)
                .hasMessageContaining("is damaged on this host");
        Files.move(root.resolve("elsewhere"), layout);
    }

    @Test
    void aBootThatHangsForLongerThanTheDeadline() {
        host.vms.faults.hangBoots(100);
        assertThatThrownBy(() -> startWithin(Duration.ofMillis(30))).isInstanceOf(VmException.Deadline.class);
    }

    @Test
    void aBootThatHangsForLongerThanItsPolicyLetsAStartTake() {
        host.vms.faults.hangBoots(100);
        SandboxSpec spec =
                TestHost.named("a").withPolicies(SandboxPolicies.none().withStartTimeout(Duration.ofMillis(30)));
        assertThatThrownBy(() -> sandboxes.start(spec, PullListener.none(), Deadline.none()))
                .isInstanceOf(VmException.Deadline.class);
    }

    @Test
    void aDeadlineThatHasPassedBefore() {
        assertThatThrownBy(() -> startWithin(Duration.ZERO)).isInstanceOf(VmException.Deadline.class);
    }

    @Test
    void aGuestThatTakesNoIdentity() {
        host.vms.before(ScriptedVms.Step.CONFIGURE, id -> {
            throw refusal;
        });
        assertThatThrownBy(() -> host.start(TestHost.named("a"))).isSameAs(refusal);
    }

    @Test
    void aGuestThatDiesBeforeItHasItsIdentity() {
        host.vms.before(ScriptedVms.Step.CONFIGURE, host.vms.memory::crash);
        assertThatThrownBy(() -> host.start(TestHost.named("a"))).isInstanceOf(VmException.class);
    }

    @Test
    void aGuestThatSpeaksNonsense() {
        host.vms.before(ScriptedVms.Step.CONFIGURE, id -> {
            host.vms.memory.babble(id, "no frame, though long enough for one".getBytes(StandardCharsets.UTF_8));
            host.vms.memory.babble(id, new byte[100]);
        });
        assertThatThrownBy(() -> host.startDetached(TestHost.named("a", "sleep", "1000")))
                .isInstanceOfAny(GuestException.ProtocolBroken.class, GuestException.ConnectionLost.class);
    }

    @Test
    void aGuestThatDiesBeforeItsCommandRuns() {
        host.vms.before(ScriptedVms.Step.EXEC, host.vms.memory::crash);
        assertThatThrownBy(() -> host.startDetached(TestHost.named("a", "true")))
                .isInstanceOf(VmException.class);
    }

    @Test
    void aGuestThatDiesWithItsCommandBeforeItIsLetGo() {
        host.vms.before(ScriptedVms.Step.DETACH, id -> {
            host.vms.memory.crash(id);
            Awaitility.await()
                    .until(() -> !host.vms.memory.get(id).orElseThrow().state().live());
        });
        assertThatThrownBy(() -> host.startDetached(TestHost.named("a", "sleep", "1000")))
                .isInstanceOf(VmException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = ScriptedVms.Step.class,
            names = {"CREATE", "CONFIGURE", "EXEC", "DETACH"})
    void aFailureAtAnyStep(ScriptedVms.Step step) {
        host.vms.before(step, id -> {
            throw refusal;
        });
        assertThatThrownBy(() -> host.startDetached(TestHost.ephemeral("a", "sleep", "1000")))
                .isSameAs(refusal);
    }

    @ParameterizedTest
    @EnumSource(
            value = ScriptedVms.Step.class,
            names = {"CREATE", "CONFIGURE", "EXEC"})
    void anInterruptAtAnyStep(ScriptedVms.Step step) {
        host.vms.before(step, id -> Thread.currentThread().interrupt());
        assertThatThrownBy(() -> host.startDetached(TestHost.named("a", "sleep", "1000")))
                .isInstanceOfAny(VmException.Interrupted.class, SandboxException.Interrupted.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anInterruptDuringABootThatHangs() throws Exception {
        host.vms.faults.hangBoots(100);
        FutureTask<Throwable> failure = new FutureTask<>(() -> catchThrowable(() -> host.start(TestHost.named("a"))));
        Thread starting = Thread.ofPlatform().start(failure);
        Awaitility.await()
                .until(() -> host.vms.memory.list().stream()
                        .anyMatch(vm -> vm.state().live()));
        starting.interrupt();
        assertThat(failure.get()).isInstanceOf(VmException.Interrupted.class).hasNoSuppressedExceptions();
    }

    @Test
    void aRecordThatWasEndedMeanwhile() {
        host.vms.before(ScriptedVms.Step.CONFIGURE, id -> {
            SandboxRecord starting = host.row("a").orElseThrow();
            host.here.store().end(starting.id(), Termination.vanished());
        });
        assertThatThrownBy(() -> host.start(TestHost.named("a")))
                .isInstanceOf(SandboxException.NotRunning.class)
                .hasMessageContaining("crashed");
    }

    @Test
    void aRecordThatWasRemovedMeanwhile() {
        host.vms.before(ScriptedVms.Step.CONFIGURE, id -> {
            SandboxRecord starting = host.row("a").orElseThrow();
            host.here.store().end(starting.id(), Termination.vanished());
            host.here.store().doom(starting.id());
            host.here.store().deleteEnded(starting.id());
        });
        assertThatThrownBy(() -> host.start(TestHost.named("a"))).isInstanceOf(SandboxException.NotFound.class);
    }

    @Test
    void aStartIsItsOwnersToEnd() throws Exception {
        host.vms.before(ScriptedVms.Step.CONFIGURE, id -> {
            try (TestHost.Opened other = host.runtime()) {
                SandboxManager sandboxes = other.sandboxes();
                assertThat(sandboxes.list()).extracting(SandboxRecord::status).containsExactly(SandboxStatus.STARTING);
                assertThatThrownBy(() -> sandboxes.stop("a", Duration.ZERO, TestHost.soon()))
                        .isInstanceOf(SandboxException.Starting.class);
                assertThatThrownBy(() -> sandboxes.remove("a", true, TestHost.soon()))
                        .isInstanceOf(SandboxException.Starting.class);
                assertThatThrownBy(() -> sandboxes.remove("a", false, TestHost.soon()))
                        .isInstanceOf(SandboxException.StillRunning.class)
                        .hasMessageContaining("starting");
                assertThatThrownBy(() -> sandboxes.connect("a", TestHost.soon()))
                        .isInstanceOf(SandboxException.NotRunning.class)
                        .hasMessageContaining("starting");
                assertThat(host.count("image_pin")).isOne();
            }
        });
        host.start(TestHost.ephemeral("a")).close();
    }

    private RunningSandbox startWithin(Duration time) {
        return sandboxes.start(TestHost.named("a"), PullListener.none(), Deadline.after(time));
    }

    private void crashWhatBoots() {
        for (VmInfo vm : host.vms.memory.list()) {
            if (vm.state().live()) {
                var _ = catchThrowable(() -> host.vms.memory.crash(vm.id()));
            }
        }
    }

    private static Path onlyFile(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findFirst().orElseThrow();
        }
    }

    private static void overwrite(Path file, byte[] content) {
        try {
            Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] contentOf(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is thrown when no boot comes up. */
    private static VmException noBoot() {
        InMemoryFaults faults = new InMemoryFaults();
        faults.hangBoots(1);
        try (InMemoryProvider hanging = new InMemoryProvider(faults, new BootPolicy(1, Duration.ofMillis(1)));
                Vm vm = hanging.create(VmSpec.of(VmId.random(), RootDisk.raw(Path.of("/none"))))) {
            vm.start(Deadline.none());
            throw new AssertionError("a boot that hangs does not come up");
        } catch (VmException.StartFailed e) {
            return e;
        }
    }

    /** A real error of a real provider. */
    private static VmException refused() {
        try (InMemoryProvider empty = new InMemoryProvider()) {
            empty.kill(VmId.random(), Deadline.none());
            throw new AssertionError("there is no such VM");
        } catch (VmException e) {
            return e;
        }
    }
}
