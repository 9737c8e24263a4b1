package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.pool.Preparation;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer.Throttle;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a sandbox may ask of its disk: what it begins with, what changes it, and who inherits it. On VMs in memory. */
class DiskLimitTest extends OnSnapshots {
    private static final String NAME = "limited";
    private static final Throttle FEW = Throttle.none().withIops(100);
    private static final Throttle BOTH = FEW.withBytesPerSecond(1 << 20);

    private static SandboxSpec limited(Throttle limits) {
        return TestHost.named(NAME, "sleep", "1000")
                .withDiskMib(64)
                .withPolicies(SandboxPolicies.none().withDiskThrottle(limits));
    }

    private Throttle ofItsVm(String name) {
        return host.vms.spec(host.vm(name)).map(VmSpec::throttle).orElseThrow();
    }

    private Throttle recorded(String name) {
        return host.row(name).orElseThrow().policies().diskThrottle();
    }

    private void change(Throttle limits) {
        var _ = sandboxes.limitDisk(host.id(NAME), _ -> limits, TestHost.soon());
    }

    @Test
    void eachOfItsRunsHasThem() {
        host.startDetached(limited(BOTH));
        assertThat(recorded(NAME)).isEqualTo(BOTH);
        assertThat(ofItsVm(NAME)).isEqualTo(BOTH);
        sandboxes.stop(NAME, TestHost.GRACE, TestHost.soon());
        host.startAgain(NAME);
        assertThat(ofItsVm(NAME)).isEqualTo(BOTH);
        sandboxes.suspend(NAME, TestHost.soon());
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(ofItsVm(NAME)).isEqualTo(BOTH);
    }

    @Test
    void aDiskThatGoesWithItsVmIsLimitedToo() {
        try (RunningSandbox _ = host.start(limited(FEW).withEphemeral(true))) {
            assertThat(ofItsVm(NAME)).isEqualTo(FEW);
        }
    }

    @Test
    void oneThatIsRestoredFromTheTemplateOfItsImageHasItsOwn() {
        SandboxSpec spec = limited(FEW).withEphemeral(true);
        assertThat(sandboxes.makeTemplate(spec, PullListener.none(), TestHost.soon()))
                .isPresent();
        try (RunningSandbox sandbox = host.start(spec)) {
            assertThat(sandbox.timings().orElseThrow().kind()).isEqualTo(StartKind.RESTORED);
            assertThat(ofItsVm(NAME)).isEqualTo(FEW);
        }
    }

    @Test
    void anotherRuntimeChangesThemWhileItRunsAndTheNextRunHasThem() {
        RunningSandbox sandbox = host.start(limited(FEW));
        try (TestHost.Opened other = host.runtime()) {
            assertThat(other.sandboxes()
                            .limitDisk(sandbox.id(), now -> now.withBytesPerSecond(1 << 20), TestHost.soon())
                            .policies()
                            .diskThrottle())
                    .isEqualTo(BOTH);
        }
        assertThat(ofItsVm(NAME)).isEqualTo(BOTH);
        sandboxes.pause(NAME, TestHost.soon());
        change(Throttle.none());
        assertThat(ofItsVm(NAME)).isEqualTo(Throttle.none());
        sandboxes.resume(NAME, TestHost.soon());
        change(FEW);
        sandbox.close();
        host.startAgain(NAME);
        assertThat(ofItsVm(NAME)).isEqualTo(FEW);
    }

    @Test
    void whatDoesNotRunHasThemWhenItDoes() {
        host.create(limited(Throttle.none()));
        change(FEW);
        host.startAgain(NAME);
        assertThat(ofItsVm(NAME)).isEqualTo(FEW);
        sandboxes.suspend(NAME, TestHost.soon());
        change(BOTH);
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(ofItsVm(NAME)).isEqualTo(BOTH);
        sandboxes.stop(NAME, TestHost.GRACE, TestHost.soon());
        change(Throttle.none());
        host.startAgain(NAME);
        assertThat(ofItsVm(NAME)).isEqualTo(Throttle.none());
    }

    @Test
    void whatBeginsWithItInheritsThem() {
        try (RunningSandbox parent = host.start(limited(FEW))) {
            change(BOTH);
            List<ChildSpec> two = List.of(ChildSpec.unnamed(), ChildSpec.unnamed());
            for (RunningSandbox child :
                    snapshots.fork(parent.id(), two, TestHost.soon()).children()) {
                assertThat(ofItsVm(child.name())).isEqualTo(BOTH);
                child.close();
            }
            var _ = take(NAME, "memory");
            change(FEW);
        }
        var _ = take(NAME, "disk");
        try (RunningSandbox ofMemory = restore("memory");
                RunningSandbox ofDisk = restore("disk")) {
            assertThat(ofItsVm(ofMemory.name())).isEqualTo(BOTH);
            assertThat(recorded(ofMemory.name())).isEqualTo(BOTH);
            assertThat(ofItsVm(ofDisk.name())).isEqualTo(FEW);
        }
    }

    @Test
    void aVmOfAPoolHasThemBeforeItsGuestGoesOn() {
        SandboxSnapshot template;
        try (RunningSandbox maker = host.start(limited(FEW).withEphemeral(true))) {
            template = snapshots.publish(maker.id(), "web", Template.Recipe.empty(), TestHost.soon());
        }
        sandboxes.pools().set(PoolShape.of(template), TestHost.pool(1, Duration.ofHours(1)), Preparation.NONE);
        assertThat(sandboxes.pools().fill(PullListener.none())).isEmpty();
        ChildSpec child = ChildSpec.unnamed().withRunning(true);
        try (RunningSandbox taken = snapshots.restore("web", child, TestHost.soon())) {
            assertThat(taken.timings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
            assertThat(ofItsVm(taken.name())).isEqualTo(FEW);
        }
    }

    @Test
    void whatWritesToItsMemoryHasNoneToLimit() {
        SandboxSpec plain = TestHost.named(NAME, "sleep", "1000");
        assertThatThrownBy(() -> plain.withPolicies(SandboxPolicies.none().withDiskThrottle(FEW)))
                .isInstanceOf(SandboxException.InvalidSpecification.class)
                .hasMessageContaining("has no disk whose use could be limited");
        host.startDetached(plain);
        assertThatThrownBy(() -> change(FEW))
                .isInstanceOf(SandboxException.InvalidSpecification.class)
                .hasMessageContaining("\"limited\" writes to its memory");
        change(Throttle.none());
        assertThat(recorded(NAME)).isEqualTo(Throttle.none());
    }

    @Test
    void whatIsInAnotherProcesssHandsIsRefusedAndStaysAsItIs() {
        host.create(limited(FEW));
        try (OwnerLock _ = host.lock(NAME)) {
            assertThatThrownBy(
                            () -> sandboxes.limitDisk(host.id(NAME), _ -> BOTH, Deadline.after(Duration.ofMillis(50))))
                    .isInstanceOf(SandboxException.Owned.class);
        }
        assertThat(recorded(NAME)).isEqualTo(FEW);
        assertThatThrownBy(() -> sandboxes.limitDisk(host.id(NAME), now -> now.withIops(1), TestHost.soon()))
                .isInstanceOf(VmException.Invalid.class)
                .extracting(e -> ((ClocheException) e).remedy())
                .isEqualTo("Give 10 to 1000000, or leave the limit out.");
        assertThat(recorded(NAME)).isEqualTo(FEW);
    }
}
