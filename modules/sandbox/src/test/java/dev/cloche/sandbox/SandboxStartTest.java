package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.ImageInUse;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullListener;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class SandboxStartTest extends OnTestHost {
    private static final ImageReference BARE = ImageReference.parse("bare");

    @Test
    void anEphemeralSandboxLeavesNothing() throws IOException {
        try (RunningSandbox sandbox = host.start(TestHost.spec(Optional.empty(), "bare"))) {
            assertThat(sandbox.name()).matches("sb-[a-z0-9]{8}");
            assertThat(host.row(sandbox.name())).hasValueSatisfying(row -> {
                assertThat(row.status()).isEqualTo(SandboxStatus.RUNNING);
                assertThat(row.ephemeral()).isTrue();
            });
            assertThat(TestHost.output(TestHost.exec(sandbox, "hostname"))).isEqualTo(sandbox.name() + "\n");
        }
        host.assertNothingLeft();
    }

    @Test
    void aPersistentSandboxLeavesItsRecordUntilItIsRemoved() {
        host.start(TestHost.named("kept")).close();
        SandboxRecord record = sandboxes.get("kept");
        assertThat(record.status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.termination("kept")).isEqualTo(Termination.closed());
        assertThat(host.vms.memory.list()).extracting(vm -> vm.state()).containsExactly(VmState.STOPPED);

        sandboxes.remove("kept", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void whatItsLifeTakesIsThereWhenItRuns() throws IOException {
        // On a full disk nothing could be made any more.
        try (RunningSandbox _ = host.start(TestHost.named("kept"))) {
            Path files = host.directory("kept").path();
            for (String name : List.of("owner.lock", "used", "ending", "pause.lock")) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.resolve(name))))
                        .as(name)
                        .isEqualTo("rw-------");
            }
            assertThat(files.resolve("draining")).doesNotExist();
        }
    }

    @Test
    void theVmIsMadeAsTheSpecificationSays() {
        SandboxSpec spec = TestHost.named("sized")
                .withMemoryMib(300)
                .withCpus(Runtime.getRuntime().availableProcessors())
                .withPolicies(SandboxPolicies.none().withMaxDuration(Duration.ofHours(1)));
        try (RunningSandbox sandbox = host.start(spec)) {
            VmSpec made = host.vms.created.getLast();
            assertThat(made.id()).isEqualTo(host.vm("sized"));
            assertThat(made.memoryMiB()).isEqualTo(300);
            assertThat(made.cpus()).isEqualTo(Runtime.getRuntime().availableProcessors());
            assertThat(made.maxDuration()).contains(Duration.ofHours(1));
            assertThat(Files.isRegularFile(made.rootDisk().path())).isTrue();
            assertThat(sandbox.timings())
                    .hasValueSatisfying(timings -> assertThat(timings.total())
                            .isGreaterThanOrEqualTo(timings.image().plus(timings.boot())));
        }
    }

    @Test
    void anImageStaysAsLongAsASandboxHasIt() {
        RunningSandbox sandbox = host.start(TestHost.named("kept"));
        assertThatThrownBy(() -> host.here.images().remove(BARE, false))
                .isInstanceOf(ImageInUse.class)
                .hasMessageContaining("sandbox kept");
        sandbox.close();
        assertThatThrownBy(() -> host.here.images().remove(BARE, false)).isInstanceOf(ImageInUse.class);
        sandboxes.remove("kept", false, TestHost.soon());
        host.here.images().remove(BARE, false);
        assertThat(host.here.images().list()).isEmpty();
    }

    @Test
    void aCommandRunsAsTheImageSays() throws IOException {
        try (RunningSandbox sandbox = host.start(TestHost.spec(Optional.of("a"), "tool"))) {
            assertThat(TestHost.output(TestHost.exec(sandbox, "pwd"))).isEqualTo("/work\n");
            assertThat(TestHost.output(TestHost.exec(sandbox, "env"))).isEqualTo("COLOUR=red\nPATH=/opt\n");
            assertThat(TestHost.output(sandbox.execMain(CommandOptions.none(), TestHost.soon())))
                    .isEqualTo("tool default\n");
        }
    }

    @Test
    void aCommandRunsAsTheCallerSays() throws IOException {
        try (RunningSandbox sandbox = host.start(TestHost.spec(Optional.of("a"), "tool", "given"))) {
            CommandOptions options =
                    new CommandOptions(Map.of("COLOUR", "blue"), Optional.of("/tmp"), Optional.of("0:0"), true);
            assertThat(TestHost.output(sandbox.exec(List.of("pwd"), options, TestHost.soon())))
                    .isEqualTo("/tmp\n");
            assertThat(TestHost.output(sandbox.exec(List.of("env"), options, TestHost.soon())))
                    .isEqualTo("COLOUR=blue\nPATH=/opt\n");
            GuestExecution cat = sandbox.exec(List.of("cat"), options, TestHost.soon());
            cat.stdin().write('x');
            cat.stdin().close();
            assertThat(TestHost.output(cat)).isEqualTo("x");
            assertThat(TestHost.output(sandbox.execMain(options, TestHost.soon())))
                    .isEqualTo("tool given\n");
        }
    }

    @Test
    void aCommandThatCannotBeStartedLeavesTheSandboxAsItWas() {
        try (RunningSandbox sandbox = host.start(TestHost.named("a"))) {
            assertThatThrownBy(() -> TestHost.exec(sandbox, "missing")).isInstanceOf(SpawnException.class);
            CommandOptions stranger = new CommandOptions(Map.of(), Optional.empty(), Optional.of("stranger"), false);
            assertThatThrownBy(() -> sandbox.exec(List.of("true"), stranger, TestHost.soon()))
                    .isInstanceOf(SpawnException.class);
            CommandOptions nowhere = new CommandOptions(Map.of(), Optional.of("/nowhere"), Optional.empty(), false);
            assertThatThrownBy(() -> sandbox.exec(List.of("true"), nowhere, TestHost.soon()))
                    .isInstanceOf(SpawnException.class);
            assertThatThrownBy(() -> sandbox.execMain(CommandOptions.none(), TestHost.soon()))
                    .isInstanceOf(SandboxException.NoCommand.class);
            assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon())).isEqualTo(new ExitStatus.Exited(0));
        }
    }

    @Test
    void aConnectionRunsCommandsWithTheImagesSettingsAndLetsGo() throws IOException {
        try (RunningSandbox owner = host.start(TestHost.spec(Optional.of("a"), "tool"));
                TestHost.Opened other = host.runtime()) {
            try (RunningSandbox connection = other.sandboxes().connect("a", TestHost.soon())) {
                assertThat(connection.id()).isEqualTo(owner.id());
                assertThat(connection.timings()).isEmpty();
                assertThat(TestHost.output(TestHost.exec(connection, "pwd"))).isEqualTo("/work\n");
                assertThatThrownBy(() -> connection.execMain(CommandOptions.none(), TestHost.soon()))
                        .isInstanceOf(IllegalStateException.class);
                connection.finish(new ExitStatus.Exited(1));
            }
            assertThat(TestHost.exec(owner, "true").await(TestHost.soon()).success())
                    .isTrue();
            assertThat(other.sandboxes().get("a").status()).isEqualTo(SandboxStatus.RUNNING);
        }
    }

    @Test
    void aDetachedSandboxGoesOnWithoutItsStarter() throws IOException {
        SandboxRecord record = host.startDetached(TestHost.named("d", "sleep", "1000"));
        assertThat(record.status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(record.command()).isEqualTo("sleep 1000");
        sandboxes.close();
        try (TestHost.Opened other = host.runtime();
                RunningSandbox connection = other.sandboxes().connect("d", TestHost.soon())) {
            assertThat(TestHost.output(TestHost.exec(connection, "hostname"))).isEqualTo("d\n");
        }
        sandboxes.remove("d", true, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void aDetachedCommandMayBeOverBeforeTheStartIs() {
        for (int i = 0; i < 10; i++) {
            SandboxRecord record = host.startDetached(TestHost.ephemeral("short", "true"));
            assertThat(record.status()).isEqualTo(SandboxStatus.RUNNING);
            // The guest says that the command runs before it runs it.
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> sandboxes.list().isEmpty());
        }
        host.assertNothingLeft();
    }

    @Test
    void aVmThatEndsBeforeItIsLetGoHasStartedAllTheSame() {
        host.vms.before(
                ScriptedVms.Step.DETACH,
                id -> Awaitility.await()
                        .until(() ->
                                !host.vms.memory.get(id).orElseThrow().state().live()));
        host.startDetached(TestHost.named("short", "sh", "-c", "exit 3"));
        assertThat(sandboxes.get("short").status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.termination("short").exitCode()).hasValue(3);
    }

    @Test
    void aNameIsForOneSandboxAtATime() {
        try (RunningSandbox sandbox = host.start(TestHost.named("one"))) {
            assertThatThrownBy(() -> host.start(TestHost.named("one")))
                    .isInstanceOf(SandboxException.NameInUse.class)
                    .hasMessageStartingWith("The name \"one\" is in use by a sandbox that is running.");
            assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
        assertThatThrownBy(() -> host.start(TestHost.named("one")))
                .isInstanceOfSatisfying(SandboxException.NameInUse.class, inUse -> {
                    assertThat(inUse).hasMessageContaining("stopped");
                    assertThat(inUse.remedy()).contains("cloche.sandboxes().remove(\"one\", false)");
                });
        assertThat(host.count("sandbox")).isOne();
        assertThat(host.count("image_pin")).isOne();
        assertThat(host.vms.memory.list()).hasSize(1);
    }

    @Test
    void theNameOfAnEphemeralSandboxThatDiedUnseenIsFree() {
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("one"), false));
        try (RunningSandbox sandbox = host.start(TestHost.ephemeral("one"))) {
            assertThat(host.row("one").orElseThrow().id()).isEqualTo(sandbox.id());
            assertThat(host.vms.memory.list()).hasSize(1);
        }
        host.assertNothingLeft();
    }

    @Test
    void theNameOfAPersistentSandboxThatDiedUnseenIsNot() {
        host.vms.memory.crash(host.abandoned(TestHost.named("one"), false));
        assertThatThrownBy(() -> host.start(TestHost.ephemeral("one")))
                .isInstanceOf(SandboxException.NameInUse.class)
                .hasMessageContaining("crashed");
    }

    @Test
    void closingTheServiceEndsWhatItStartedAndNothingElse() {
        RunningSandbox one = host.start(TestHost.named("one"));
        host.start(TestHost.ephemeral("two"));
        try (TestHost.Opened other = host.runtime();
                RunningSandbox third =
                        other.sandboxes().start(TestHost.named("three"), PullListener.none(), TestHost.soon());
                RunningSandbox connection = sandboxes.connect("three", TestHost.soon())) {
            sandboxes.close();
            assertThat(TestHost.exec(third, "true").await(TestHost.soon()).success())
                    .isTrue();
            assertThat(TestHost.exec(connection, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
        assertThat(host.termination("one")).isEqualTo(Termination.closed());
        assertThat(host.row("two")).isEmpty();
        one.close();
    }

    @Test
    void aSpecificationIsRefusedBeforeAnythingHappens() {
        for (String name : List.of("", "A", "-a", "a-", "a_b", "a.b", "a/b", "..", "ä", "a".repeat(64))) {
            assertThatThrownBy(() -> TestHost.named(name)).isInstanceOf(SandboxException.InvalidSpecification.class);
        }
        for (String name : List.of("a", "0", "a-b", "a".repeat(63))) {
            assertThat(TestHost.named(name).name()).contains(name);
        }
        assertInvalid(SandboxSpec.MIN_MEMORY_MIB - 1, 1, Duration.ofSeconds(1));
        assertInvalid(SandboxSpec.MAX_MEMORY_MIB + 1, 1, Duration.ofSeconds(1));
        assertInvalid(256, 0, Duration.ofSeconds(1));
        assertInvalid(256, SandboxSpec.MAX_CPUS + 1, Duration.ofSeconds(1));
        assertInvalid(256, 1, Duration.ZERO);
        assertInvalid(256, 1, Duration.ofDays(366));
    }

    private static void assertInvalid(int memory, int cpus, Duration longest) {
        assertThatThrownBy(() -> SandboxSpec.of("bare")
                        .withMemoryMib(memory)
                        .withCpus(cpus)
                        .withPolicies(SandboxPolicies.none().withMaxDuration(longest)))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
    }
}
