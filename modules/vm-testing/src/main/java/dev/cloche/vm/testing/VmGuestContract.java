package dev.cloche.vm.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.PendingIdentity;
import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Says what every provider promises of a guest as a whole, and of what an execution may ask for. */
public interface VmGuestContract extends VmFixture {
    @Test
    default void aTerminalEchoesAndLearnsItsSize() throws IOException {
        try (Vm vm = running();
                GuestExecution shell = vm.guest()
                        .exec(
                                ExecRequest.of("sh", "-c", "read line; stty size")
                                        .withStdin()
                                        .withTerminal(new TerminalSize(24, 80)),
                                soon())) {
            shell.resize(new TerminalSize(50, 132), soon());
            shell.stdin().write("typed\n".getBytes(UTF_8));
            assertThat(read(shell.stdout())).isEqualTo("typed\r\n50 132\r\n");
            assertThat(read(shell.stderr())).isEmpty();
            assertThat(shell.await(soon())).isEqualTo(new ExitStatus.Exited(0));
        }
    }

    @Test
    default void aProgramWithoutATerminalIsNotResized() {
        try (Vm vm = running();
                GuestExecution sleep = vm.guest().exec(ExecRequest.of("sleep", "1000"), soon())) {
            assertRefused(GuestFailure.BAD_REQUEST, () -> sleep.resize(new TerminalSize(1, 1), soon()));
        }
    }

    @Test
    default void theLossOfAConnectionIsTold() {
        try (Vm vm = running()) {
            Guest guest = vm.guest();
            assertThatThrownBy(() -> guest.awaitLoss(Deadline.after(Duration.ZERO)))
                    .isInstanceOf(VmException.Deadline.class);
            var _ = vm.kill(soon());
            assertThat(guest.awaitLoss(soon())).isInstanceOf(GuestException.ConnectionLost.class);
        }
    }

    @Test
    default void limitsApplyAndThoseThatCannotBeSetAreATypedError() throws IOException {
        try (Vm vm = running()) {
            ExecRequest ulimit = ExecRequest.of("sh", "-c", "ulimit -n");
            assertThat(output(
                            vm, ulimit.withLimits(List.of(new ResourceLimit(ResourceLimit.Resource.NOFILE, 100, 200)))))
                    .isEqualTo("100\n");
            ResourceLimit beyondTheKernels =
                    new ResourceLimit(ResourceLimit.Resource.NOFILE, ResourceLimit.UNLIMITED, ResourceLimit.UNLIMITED);
            assertThatThrownBy(() -> vm.guest().exec(ulimit.withLimits(List.of(beyondTheKernels)), soon()))
                    .isInstanceOf(SpawnException.BadLimit.class);
        }
    }

    @Test
    default void anIdentityBringsVariablesAndSecretsThatReplaceEarlierOnes() throws IOException {
        try (Vm vm = running()) {
            GuestIdentity fresh = GuestIdentity.fresh("first", Clock.systemUTC());
            PendingIdentity configuring = vm.guest()
                    .beginConfigure(
                            fresh.withEnvironment(Map.of("A", "1", "B", "2"))
                                    .withSecrets(Map.of("token", "s3cret".getBytes(UTF_8))),
                            soon());
            // Sent right behind, and so under the new identity.
            assertThat(output(vm, ExecRequest.of("env").withEnvironment(Map.of("A", "mine", "PATH", "/bin"))))
                    .contains("A=mine\n", "B=2\n");
            configuring.await();
            assertThat(output(vm, ExecRequest.of("cat", "/run/secrets/token"))).isEqualTo("s3cret");
            vm.guest().configure(fresh.withEnvironment(Map.of("C", "3")), soon());
            assertThat(output(vm, ExecRequest.of("env"))).contains("C=3\n").doesNotContain("B=2");
        }
    }

    @Test
    default void aGuestTellsWhatItUses() {
        try (Vm vm = running();
                GuestExecution sleep = vm.guest().exec(ExecRequest.of("sleep", "1000"), soon())) {
            assertThat(sleep.id()).isNotZero();
            GuestMetrics metrics = vm.guest().metrics(soon());
            assertThat(metrics.uptimeNanos().orElseThrow()).isPositive();
            assertThat(metrics.cpus().orElseThrow()).isPositive();
            assertThat(metrics.memoryAvailableBytes().orElseThrow())
                    .isPositive()
                    .isLessThanOrEqualTo(metrics.memoryBytes().orElseThrow());
            assertThat(metrics.processes().orElseThrow()).isPositive();
            assertThat(metrics.executions()).hasValue(1);
        }
    }

    @Test
    default void aGuestWhoseLayerIsInMemoryIsAtWorkAlsoWhileItIsFrozen() throws IOException {
        try (Vm vm = running()) {
            Guest guest = vm.guest();
            guest.freeze(Duration.ofMinutes(5), soon());
            guest.configure(GuestIdentity.fresh("frozen", Clock.systemUTC()), soon());
            assertThat(output(vm, ExecRequest.of("hostname"))).isEqualTo("frozen\n");
            guest.thaw(soon());
            guest.thaw(soon());
            assertThatThrownBy(() -> guest.freeze(Duration.ofHours(1), soon())).isInstanceOf(VmException.Invalid.class);
        }
    }

    @Test
    default void aGuestThatIsReadyForASnapshotStartsNothingUntilItHasANewIdentity() throws IOException {
        try (Vm vm = running();
                GuestExecution before = vm.guest().exec(ExecRequest.of("cat").withStdin(), soon())) {
            Guest guest = vm.guest();
            guest.quiesce(soon());
            assertRefused(GuestFailure.NEEDS_IDENTITY, () -> guest.exec(ExecRequest.of("true"), soon()));
            before.stdin().write('x');
            assertThat(before.stdout().read()).isEqualTo('x');
            guest.configure(GuestIdentity.UNCHANGED.withHostname("without-entropy"), soon());
            assertRefused(GuestFailure.NEEDS_IDENTITY, () -> guest.exec(ExecRequest.of("true"), soon()));
            guest.configure(GuestIdentity.fresh("unique", Clock.systemUTC()), soon());
            assertThat(output(vm, ExecRequest.of("hostname"))).isEqualTo("unique\n");
        }
    }
}
