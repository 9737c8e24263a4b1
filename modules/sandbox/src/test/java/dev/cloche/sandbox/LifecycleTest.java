package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people do to sandboxes, and what is recorded of it. */
class LifecycleTest extends OnTestHost {
    @Test
    void isCreatedWithItsImageAndStartedLater() {
        SandboxRecord created = host.create(TestHost.named("a", "sleep", "1000"));
        assertThat(created.status()).isEqualTo(SandboxStatus.CREATED);
        assertThat(created.manifest()).isPresent();
        assertThat(created.latestRun()).isEmpty();
        assertThat(host.vms.created).isEmpty();

        SandboxRecord started = host.startAgain("a");
        assertThat(started.status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(started.manifest()).isEqualTo(created.manifest());
        assertThat(host.startAgain("a")).as("one that runs is left alone").isEqualTo(started);
        sandboxes.kill("a", TestHost.soon());
    }

    @Test
    void theImagesOwnCommandIsListedOfASandboxThatNamesNone() {
        SandboxSpec unsaid = TestHost.spec(Optional.of("a"), "tool");
        host.create(unsaid);
        assertThat(sandboxes.get("a").command()).isEqualTo("echo tool default");
        host.startAgain("a");
        host.awaitEnd("a");
        assertThat(sandboxes.get("a").command()).isEqualTo("echo tool default");
        assertThat(sandboxes.inspect("a").main().orElseThrow().words()).isEmpty();

        host.startDetached(TestHost.spec(Optional.of("b"), "tool"));
        host.awaitEnd("b");
        assertThat(sandboxes.get("b").command()).isEqualTo("echo tool default");
    }

    @Test
    void aCreationThatFailsLeavesNothing() {
        assertThatThrownBy(() -> host.create(TestHost.spec(Optional.of("a"), "missing.example/none")))
                .isInstanceOf(RuntimeException.class);
        host.assertNothingLeft();
    }

    @Test
    void whatWasCreatedIsRemovedWithoutForce() {
        host.create(TestHost.named("a"));
        sandboxes.remove("a", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void startsAgainWithTheSameCommandAndOptions() {
        CommandOptions options =
                new CommandOptions(Map.of("COLOUR", "blue"), Optional.of("/work"), Optional.of("root"), false);
        sandboxes.startDetached(
                TestHost.named("a", "sh", "-c", "exit 3"), options, PullListener.none(), TestHost.soon());
        host.awaitEnd("a");
        host.startAgain("a");
        host.awaitEnd("a");
        SandboxDetails details = sandboxes.inspect("a");
        assertThat(details.main()).contains(new MainCommand(List.of("sh", "-c", "exit 3"), options));
        assertThat(details.runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.status()).isEqualTo(RunStatus.TERMINATED);
            assertThat(run.termination().orElseThrow().exitCode()).hasValue(3);
            assertThat(run.readyAt()).isPresent();
            assertThat(run.terminatedAt()).isPresent();
        });
    }

    @Test
    void keepsTheLatestRunsAndTheirFilesOnly() {
        SandboxPolicies policies = SandboxPolicies.none().withKeptRuns(2);
        host.startDetached(TestHost.named("a", "true").withPolicies(policies));
        host.awaitEnd("a");
        for (int i = 0; i < 3; i++) {
            host.startAgain("a");
            host.awaitEnd("a");
        }
        List<VmId> kept =
                sandboxes.inspect("a").runs().stream().map(RunRecord::vm).toList();
        assertThat(kept).hasSize(2);
        assertThat(host.vms.memory.list()).extracting(vm -> vm.id()).containsExactlyInAnyOrderElementsOf(kept);
    }

    @Test
    void whatAPersistentSandboxWritesStaysAndGoesWithIt() {
        host.startDetached(TestHost.named("a", "sleep", "1000").withDiskMib(64));
        assertThat(host.vms.created.getLast().writable())
                .isEqualTo(WritableLayer.persistent(host.directory("a").disk()));
        sandboxes.restart("a", TestHost.GRACE, TestHost.soon());
        assertThat(host.vms.created.getLast().writable())
                .isEqualTo(WritableLayer.persistent(host.directory("a").disk()));
        assertThat(sandboxes.get("a").diskMib()).hasValue(64);
        assertThat(host.vms.disks().find(host.directory("a").disk())).isPresent();
        sandboxes.remove("a", true, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void theDiskOfAnEphemeralSandboxIsItsVms() {
        host.startDetached(TestHost.ephemeral("a", "sleep", "1000").withDiskMib(64));
        assertThat(host.vms.created.getLast().writable()).isEqualTo(WritableLayer.disk(64));
        sandboxes.remove("a", true, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void aKillThatWasAskedForIsNoCrash() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        sandboxes.kill("a", TestHost.soon());
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SIGNAL);
        assertThat(host.termination("a").exitSignal()).hasValue(9);
        assertThat(host.termination("a").asked()).isTrue();
    }

    @Test
    void restartsWithANewRun() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        VmId first = host.vm("a");
        SandboxRecord again = sandboxes.restart("a", TestHost.GRACE, TestHost.soon());
        assertThat(again.status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(host.vm("a")).isNotEqualTo(first);
        assertThat(sandboxes
                        .inspect("a")
                        .runs()
                        .getLast()
                        .termination()
                        .orElseThrow()
                        .reason())
                .isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        sandboxes.kill("a", TestHost.soon());
    }

    @Test
    void whatGoesAwayWhenItEndsCannotBeRestarted() {
        host.startDetached(TestHost.ephemeral("a", "sleep", "1000"));
        assertThatThrownBy(() -> sandboxes.restart("a", TestHost.GRACE, TestHost.soon()))
                .isInstanceOf(SandboxException.Ephemeral.class);
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.RUNNING);
        sandboxes.remove("a", true, TestHost.soon());
    }

    @Test
    void aRestartThatFailsIsRecordedAndTheSandboxStays() {
        host.startDetached(TestHost.named("a", "true"));
        host.awaitEnd("a");
        host.vms.beforeNext(ScriptedVms.Step.CREATE, id -> {
            throw new SandboxException.Owned("the disk");
        });
        assertThatThrownBy(() -> host.startAgain("a")).isInstanceOf(SandboxException.Owned.class);
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(host.termination("a").detail()).contains("It did not start");
        host.startAgain("a");
        host.awaitEnd("a");
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.COMPLETED);
    }
}
