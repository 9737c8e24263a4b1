package dev.cloche.vm.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cloche.base.Deadline;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Says what every provider promises of a VM: its states, its owner and clients, and its ends. */
public interface VmLifecycleContract extends VmFixture {
    @Test
    default void aVmIsCreatedStartedStoppedAndDestroyed() {
        VmSpec spec = spec();
        try (Vm vm = provider().create(spec)) {
            assertThat(vm.id()).isEqualTo(spec.id());
            assertThat(vm.state()).isEqualTo(VmState.CREATED);
            assertThat(provider().get(spec.id()).orElseThrow().state()).isEqualTo(VmState.CREATED);

            vm.start(soon());
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
            assertThat(provider().list())
                    .extracting(VmInfo::id, VmInfo::state)
                    .containsExactly(tuple(spec.id(), VmState.RUNNING));
            assertThat(provider().list().getFirst().guard()).isPresent();

            VmExit exit = vm.stop(Duration.ofSeconds(5), soon());
            assertThat(exit.goodbye()).contains(new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty()));
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.EXITED);
            assertThat(exit.crashed()).isFalse();
            assertThat(exit.endedAt()).isAfter(exit.startedAt());
            assertThat(vm.state()).isEqualTo(VmState.STOPPED);
            assertThat(vm.awaitExit(soon())).isEqualTo(exit);
            assertThat(vm.kill(soon())).isEqualTo(exit);
            assertThat(provider().get(spec.id()).orElseThrow())
                    .isEqualTo(new VmInfo(spec.id(), VmState.STOPPED, Optional.empty(), Optional.of(exit)));

            vm.destroy();
            vm.destroy();
            assertThat(vm.state()).isEqualTo(VmState.DESTROYED);
            assertThat(provider().get(spec.id())).isEmpty();
        }
    }

    @Test
    default void anIdIsTakenOnce() {
        VmSpec spec = spec();
        try (Vm vm = provider().create(spec)) {
            assertThatThrownBy(() -> provider().create(spec)).isInstanceOf(VmException.Exists.class);
            vm.destroy();
            provider().create(spec).destroy();
        }
    }

    @Test
    default void whatAStateDoesNotAllowIsATypedError() {
        try (Vm vm = provider().create(spec())) {
            assertThatThrownBy(vm::guest).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> vm.pause(soon())).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> vm.stop(Duration.ZERO, soon())).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> vm.awaitExit(soon())).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> provider().kill(vm.id(), soon())).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> provider().connect(vm.id(), soon())).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> provider().adopt(vm.id(), soon())).isInstanceOf(VmException.WrongState.class);
            vm.start(soon());
            assertThatThrownBy(() -> vm.start(soon())).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(vm::destroy).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> vm.resume(soon())).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> provider().destroy(vm.id())).isInstanceOf(VmException.class);
        }
        VmId nobody = new VmId("nobody");
        assertThat(provider().get(nobody)).isEmpty();
        assertThatThrownBy(() -> provider().connect(nobody, soon())).isInstanceOf(VmException.NotFound.class);
        assertThatThrownBy(() -> provider().kill(nobody, soon())).isInstanceOf(VmException.NotFound.class);
        provider().destroy(nobody);
    }

    @Test
    default void aPausedGuestAnswersOnlyAfterItIsResumed() {
        try (Vm vm = running()) {
            vm.pause(soon());
            assertThat(vm.state()).isEqualTo(VmState.PAUSED);
            assertThatThrownBy(() -> vm.pause(soon())).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(() -> vm.guest().ping(Deadline.after(Duration.ofMillis(100))))
                    .isInstanceOf(VmException.Deadline.class);
            vm.resume(soon());
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
            vm.guest().ping(soon());
        }
    }

    @Test
    default void theEndOfTheMainExecutionIsTheEndOfTheVm() {
        try (Vm vm = running()) {
            GuestExecution main =
                    vm.guest().exec(ExecRequest.of("sh", "-c", "exit 3").asMain(), soon());
            assertThat(main.await(soon())).isEqualTo(new ExitStatus.Exited(3));
            VmExit exit = vm.awaitExit(soon());
            assertThat(exit.mainExit()).contains(new ExitStatus.Exited(3));
            assertThat(exit.crashed()).isFalse();
            assertThat(vm.state()).isEqualTo(VmState.STOPPED);
        }
    }

    @Test
    default void aStopAsksTheMainExecutionByItsOwnSignalAndTellsHowItEnded() {
        try (Vm vm = running()) {
            vm.guest()
                    .exec(ExecRequest.of("sleep", "1000").asMain().withStopSignal(3), soon())
                    .close();
            VmExit exit = vm.stop(Duration.ofSeconds(30), soon());
            assertThat(exit.goodbye())
                    .contains(new Goodbye(
                            Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.of(new ExitStatus.Signalled(3)), 0));
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.EXITED);
        }
    }

    @Test
    default void aKilledVmSaysNoGoodbyeAndEndsItsConversations() {
        try (Vm vm = running()) {
            GuestExecution sleep = vm.guest().exec(ExecRequest.of("sleep", "1000"), soon());
            VmExit exit = vm.kill(soon());
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.KILLED);
            assertThat(exit.goodbye()).isEmpty();
            assertThat(exit.crashed()).isFalse();
            assertThat(exit.processSignal()).hasValue(9);
            assertThatThrownBy(() -> sleep.await(soon())).isInstanceOf(GuestException.ConnectionLost.class);
            assertThatThrownBy(() -> sleep.stdout().read()).isInstanceOf(GuestException.ConnectionLost.class);
            assertThatThrownBy(vm::guest).isInstanceOf(VmException.WrongState.class);
        }
    }

    @Test
    default void closingKillsAnAttachedVmAndLeavesItsFiles() {
        VmId id;
        try (Vm vm = running()) {
            id = vm.id();
        }
        VmInfo info = provider().get(id).orElseThrow();
        assertThat(info.state()).isEqualTo(VmState.STOPPED);
        assertThat(info.exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.KILLED);
        provider().destroy(id);
        assertThat(provider().get(id)).isEmpty();
    }

    @Test
    default void theMaximumDurationEndsAVm() {
        try (Vm vm = startedWithin(Duration.ofSeconds(4))) {
            VmExit exit = vm.awaitExit(soon());
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
            assertThat(exit.crashed()).isFalse();
            assertThat(vm.state()).isEqualTo(VmState.STOPPED);
        }
    }

    @Test
    default void itsLimitIsSetAnewByAnyProcess() {
        try (Vm vm = running();
                Vm client = provider().connect(vm.id(), soon())) {
            assertThatThrownBy(() -> provider().limit(vm.id(), Duration.ZERO)).isInstanceOf(VmException.Invalid.class);
            assertThatThrownBy(() -> provider().limit(VmId.random(), Duration.ofDays(1)))
                    .isInstanceOf(VmException.NotFound.class);
            provider().limit(vm.id(), Duration.ofDays(1));
            provider().limit(vm.id(), Duration.ofMillis(200));
            assertThat(vm.awaitExit(soon()).cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
            assertThatThrownBy(() -> provider().limit(vm.id(), Duration.ofDays(1)))
                    .isInstanceOf(VmException.WrongState.class);
            assertThat(client.awaitExit(soon()).cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
        }
    }

    @Test
    default void aVmOutlivesALimitThatWasSetAnew() {
        try (Vm vm = running()) {
            Duration first = Duration.ofSeconds(10);
            provider().limit(vm.id(), first);
            provider().limit(vm.id(), Duration.ofDays(1));
            // By its own clock the guest sees the first one pass.
            ExecRequest pass = ExecRequest.of("sleep", String.valueOf(first.toSeconds() + 1));
            try (GuestExecution sleep = vm.guest().exec(pass, soon())) {
                assertThat(sleep.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            }
            provider().limit(vm.id(), Duration.ofMillis(1));
            assertThat(vm.awaitExit(soon()).cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
        }
    }

    @Test
    default void oneThatIsHaltedAtItsLimitGoesOnWithAnother() throws IOException {
        try (Vm vm = running();
                Vm client = provider().connect(vm.id(), soon());
                GuestExecution cat = vm.guest().exec(ExecRequest.of("cat").withStdin(), soon())) {
            assertThat(echoed(cat, "before")).isEqualTo("before");
            provider().haltAtLimit(vm.id());
            provider().limit(vm.id(), Duration.ofMillis(1));
            Awaitility.await()
                    .until(() -> provider()
                            .hindrance(vm.id())
                            .filter(why -> why == VmHindrance.HELD)
                            .isPresent());
            assertThat(vm.state().live()).isTrue();
            for (Vm handle : List.of(vm, client)) {
                assertThatThrownBy(() -> handle.guest().exec(ExecRequest.of("true"), soon()))
                        .isInstanceOf(VmException.Hindered.class)
                        .extracting("code")
                        .isEqualTo("vm.held");
            }
            provider().limit(vm.id(), Duration.ofDays(1));
            assertThat(provider().hindrance(vm.id())).isEmpty();
            assertThat(echoed(cat, "after")).isEqualTo("after");
            provider().limit(vm.id(), Duration.ofMillis(1));
            Awaitility.await().until(() -> provider().hindrance(vm.id()).isPresent());
            // Halted by a process besides, it waits for that process.
            provider().pause(vm.id(), soon());
            provider().limit(vm.id(), Duration.ofDays(1));
            assertThat(provider().hindrance(vm.id())).isEmpty();
            assertThat(provider().get(vm.id()).orElseThrow().state().live()).isTrue();
            provider().resume(vm.id(), soon());
            assertThat(echoed(cat, "resumed")).isEqualTo("resumed");
        }
    }

    @Test
    default void oneThatIsHaltedAtItsLimitIsSuspendedByItsOwner() {
        // Whose handle knows nothing of what the guard has done.
        SnapshotName name = new SnapshotName("held");
        try (Vm vm = running()) {
            provider().haltAtLimit(vm.id());
            provider().limit(vm.id(), Duration.ofMillis(1));
            Awaitility.await().until(() -> vm.hindrance().isPresent());
            var _ = vm.suspend(name, soon());
            assertThat(vm.state().live()).isFalse();
        }
        assertThat(provider().snapshot(name)).isPresent();
        provider().deleteSnapshot(name);
    }

    private static String echoed(GuestExecution cat, String word) throws IOException {
        cat.stdin().write(word.getBytes(StandardCharsets.US_ASCII));
        cat.stdin().flush();
        return new String(cat.stdout().readNBytes(word.length()), StandardCharsets.US_ASCII);
    }

    /** A VM with a longest duration, of which its boot is a part: on a busy host it is given more. */
    private Vm startedWithin(Duration longest) {
        Vm vm = provider().create(spec().withMaxDuration(longest));
        try {
            vm.start(soon());
            return vm;
        } catch (VmException.LimitReached ended) {
            vm.close();
            vm.destroy();
            if (longest.toMinutes() > 5) {
                throw ended;
            }
            return startedWithin(longest.multipliedBy(2));
        }
    }

    @Test
    default void closingTheProviderClosesItsHandles() {
        Vm vm = running();
        provider().close();
        assertThat(vm.state()).isEqualTo(VmState.STOPPED);
        assertThat(provider().capabilities().acceleratorReason()).isNotEmpty();
    }

    @Test
    default void aDetachedVmOutlivesItsHandleAndIsConnectedToAndKilled() throws IOException {
        VmId id;
        try (Vm vm = running()) {
            id = vm.id();
            vm.detach();
        }
        try (Vm connected = provider().connect(id, soon())) {
            assertThat(connected.state()).isEqualTo(VmState.RUNNING);
            assertThat(output(connected, ExecRequest.of("echo", "still here"))).isEqualTo("still here\n");
            assertThatThrownBy(connected::detach).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(connected::destroy).isInstanceOf(VmException.WrongState.class);
        }
        assertThat(provider().get(id).orElseThrow().state()).isEqualTo(VmState.RUNNING);
        VmExit exit = provider().kill(id, soon());
        assertThat(exit.cause()).isEqualTo(VmExit.Cause.KILLED);
        assertThat(provider().kill(id, soon())).isEqualTo(exit);
        provider().destroy(id);
        assertThat(provider().list()).isEmpty();
    }

    @Test
    default void aDetachedVmIsAdoptedWithAllOfAnOwnersRights() throws IOException {
        VmId id;
        try (Vm vm = running()) {
            id = vm.id();
            assertThatThrownBy(() -> provider().adopt(id, soon())).isInstanceOf(VmException.Busy.class);
            vm.detach();
        }
        try (Vm adopted = provider().adopt(id, soon())) {
            assertThat(adopted.state()).isEqualTo(VmState.RUNNING);
            assertThatThrownBy(() -> provider().adopt(id, soon())).isInstanceOf(VmException.Busy.class);
            assertThat(output(adopted, ExecRequest.of("echo", "mine now"))).isEqualTo("mine now\n");
            adopted.pause(soon());
        }
        try (Vm adopted = provider().adopt(id, soon())) {
            assertThat(adopted.state()).isEqualTo(VmState.PAUSED);
            adopted.resume(soon());
            adopted.guest().ping(soon());
            adopted.detach();
            assertThat(adopted.stop(Duration.ofSeconds(5), soon()).goodbye()).isPresent();
            adopted.destroy();
        }
        assertThat(provider().get(id)).isEmpty();
        assertThatThrownBy(() -> provider().adopt(id, soon())).isInstanceOf(VmException.NotFound.class);
    }

    @Test
    default void aDiskThatNothingBoundsHasRoomAlsoOnceItWasCounted() {
        provider().requireDiskRoom();
        provider().countStateDisk(soon());
        provider().requireDiskRoom();
        try (Vm vm = provider().create(spec())) {
            assertThat(vm.state()).isEqualTo(VmState.CREATED);
        }
    }

    @Test
    default void sevenClientsConnectBesideTheOwnerAndAnEighthIsRefused() throws IOException {
        List<Vm> clients = new ArrayList<>();
        try (Vm vm = running()) {
            for (int i = 0; i < 7; i++) {
                clients.add(provider().connect(vm.id(), soon()));
            }
            assertThatThrownBy(() -> provider().connect(vm.id(), soon())).isInstanceOf(VmException.Busy.class);
            assertThat(output(clients.getLast(), ExecRequest.of("echo", "8"))).isEqualTo("8\n");
            clients.getFirst().close();
            Vm again = provider().connect(vm.id(), soon());
            clients.add(again);
            assertThat(output(again, ExecRequest.of("echo", "again"))).isEqualTo("again\n");
            VmExit exit = again.stop(Duration.ofSeconds(5), soon());
            assertThat(exit.goodbye()).isPresent();
            assertThat(vm.awaitExit(soon())).isEqualTo(exit);
        } finally {
            clients.forEach(Vm::close);
        }
    }
}
