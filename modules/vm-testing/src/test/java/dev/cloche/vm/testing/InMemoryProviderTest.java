package dev.cloche.vm.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.Output;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WriteOptions;
import dev.cloche.vmm.protocol.FrameEncoder;
import dev.cloche.vmm.protocol.GuestFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class InMemoryProviderTest extends VmProviderContract {
    private final InMemoryFaults faults = new InMemoryFaults();

    @Override
    protected InMemoryProvider open() {
        return new InMemoryProvider(faults, new BootPolicy(3, Duration.ofMinutes(1)));
    }

    @Override
    public RootDisk rootDisk() {
        return RootDisk.raw(Path.of("/none"));
    }

    /** Its agent knows no connections, as those of earlier versions. */
    @Test
    void aConnectionByAnOlderAgentIsRefusedAsSuch() {
        try (InMemoryProvider provider = open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            assertThatThrownBy(() -> vm.guest().dial(DialRequest.port(80), soon()))
                    .isInstanceOfSatisfying(
                            GuestException.OlderAgent.class,
                            older -> assertThat(older.code()).isEqualTo("vm.older-agent"));
        }
    }

    /** Nor what a file is beyond its entry, nor how that is set. */
    @Test
    void detailsDepthsAndOwnersByAnOlderAgentAreRefusedAsSuch() {
        try (InMemoryProvider provider = open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            GuestFiles files = vm.guest().files();
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> files.details("/tmp", true, soon()),
                    () -> files.listDetails("/", 1, soon()),
                    () -> files.ownedBy("1:2").makeDirectory("/tmp/owned", 0755, false, soon()),
                    () -> files.ownedBy("1:2").write("/tmp/owned", WriteOptions.REPLACE, soon()),
                    () -> files.change("/tmp", FileInfo.Change.NONE.withMode(0700), true, soon()),
                    () -> files.list("/", 2, soon()))) {
                assertThatThrownBy(call).isInstanceOf(GuestException.OlderAgent.class);
            }
            assertThat(files.list("/", 1, soon())).isNotEmpty();
            for (int depth : new int[] {0, 65}) {
                assertThatThrownBy(() -> files.list("/", depth, soon())).isInstanceOf(VmException.Invalid.class);
            }
        }
    }

    @Test
    void aBootThatHangsIsTriedAgain() {
        faults.hangBoots(2);
        try (InMemoryProvider provider = new InMemoryProvider(faults, new BootPolicy(10, Duration.ofMillis(100)));
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            vm.guest().ping(soon());
        }
    }

    @Test
    void aGuestThatNeverBootsIsATypedError() {
        faults.hangBoots(3);
        try (InMemoryProvider provider = new InMemoryProvider(faults, new BootPolicy(3, Duration.ofMillis(50)));
                Vm vm = provider.create(spec())) {
            assertThatThrownBy(() -> vm.start(soon()))
                    .isInstanceOf(VmException.StartFailed.class)
                    .hasMessageContaining("3 attempts");
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
            assertThat(provider.get(vm.id()).orElseThrow().state()).isEqualTo(VmState.FAILED);
            assertThatThrownBy(() -> vm.awaitExit(soon())).isInstanceOf(VmException.WrongState.class);
            vm.destroy();
        }
    }

    @Test
    void theDeadlineOfAStartIsKept() {
        faults.hangBoots(3);
        try (InMemoryProvider provider = open();
                Vm vm = provider.create(spec())) {
            assertThatThrownBy(() -> vm.start(Deadline.after(Duration.ofMillis(50))))
                    .isInstanceOf(VmException.Deadline.class);
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
        }
    }

    @Test
    void closingAbortsAStartThatHangs() throws InterruptedException {
        faults.hangBoots(100);
        try (InMemoryProvider provider = new InMemoryProvider(faults, new BootPolicy(100, Duration.ofHours(1)))) {
            Vm vm = provider.create(spec());
            Thread starting = Thread.ofPlatform()
                    .start(() -> assertThatThrownBy(() -> vm.start(soon())).isInstanceOf(VmException.class));
            Awaitility.await()
                    .until(() -> provider.get(vm.id()).orElseThrow().state().live());
            vm.close();
            starting.join();
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
        }
    }

    @Test
    void closingEndsTheThreadsOfAPausedGuestThatHasNotReadEverything() {
        Set<Thread> earlier = Thread.getAllStackTraces().keySet();
        try (InMemoryProvider provider = open()) {
            Vm vm = provider.create(spec().withAttached(false));
            vm.start(soon());
            provider.pause(vm.id(), soon());
            assertThatThrownBy(() -> vm.guest().ping(Deadline.after(Duration.ofMillis(1))))
                    .isInstanceOf(VmException.Deadline.class);
            vm.detach();
        }
        Awaitility.await()
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .filteredOn(thread -> !earlier.contains(thread))
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("cloche-")));
    }

    @Test
    void aGuestThatEndsWithoutAGoodbyeHasCrashed() {
        try (InMemoryProvider provider = open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            provider.crash(vm.id());
            VmExit exit = vm.awaitExit(soon());
            assertThat(exit.crashed()).isTrue();
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
            assertThat(provider.get(vm.id()).orElseThrow().state()).isEqualTo(VmState.FAILED);
        }
    }

    @Test
    void aGuestThatWasAskedToStopAndEndsWithoutAGoodbyeHasNotCrashed() {
        try (InMemoryProvider provider = open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            faults.loseGoodbyes();
            VmExit exit = vm.stop(Duration.ofSeconds(5), soon());
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.STOPPED);
            assertThat(exit.crashed()).isFalse();
            assertThat(vm.state()).isEqualTo(VmState.STOPPED);
            assertThat(provider.get(vm.id()).orElseThrow().state()).isEqualTo(VmState.STOPPED);
        }
    }

    @Test
    void aGuestThatBreaksTheProtocolLosesItsConnectionAndIsKilledOnStop() {
        try (InMemoryProvider provider = open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            GuestExecution sleep = vm.guest().exec(ExecRequest.of("sleep", "1000"), soon());
            provider.babble(vm.id(), "no frame, though long enough for a header".getBytes(StandardCharsets.UTF_8));
            assertThatThrownBy(() -> sleep.await(soon())).isInstanceOf(GuestException.ProtocolBroken.class);
            assertThatThrownBy(() -> vm.guest().ping(soon())).isInstanceOf(GuestException.ProtocolBroken.class);
            assertThat(vm.stop(Duration.ofSeconds(5), soon()).cause()).isEqualTo(VmExit.Cause.KILLED);
        }
    }

    @Test
    void aGuestThatWasReadiedForASnapshotThatCameToNothingIsAtWork() throws IOException {
        try (InMemoryProvider provider = open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            faults.loseQuiesces(1);
            assertThatThrownBy(() -> vm.snapshot(new SnapshotName("late"), Deadline.after(Duration.ofMillis(50))))
                    .isInstanceOf(VmException.Deadline.class)
                    .hasNoSuppressedExceptions();
            assertThat(output(vm, ExecRequest.of("echo", "at work"))).isEqualTo("at work\n");
            assertThat(provider.snapshots()).isEmpty();
        }
    }

    @Test
    void wellFormedFramesThatLieAreRefusedToo() {
        assertRefused(GuestFrames.done(4711));
        assertRefused(GuestFrames.exited(4711, new ExitStatus.Exited(0)));
        assertRefused(GuestFrames.output(4711, Output.STDOUT, 0, new byte[1]));
        assertRefused(GuestFrames.hello(2, Duration.ZERO, Duration.ZERO, "again"));
        assertRefused(GuestFrames.resetAck(1));
        assertRefused(FrameEncoder.frame(0xFF, 0, 0, new byte[0]));
    }

    private void assertRefused(ByteBuffer lie) {
        try (InMemoryProvider provider = open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            byte[] bytes = new byte[lie.remaining()];
            lie.get(bytes);
            provider.babble(vm.id(), bytes);
            Awaitility.await()
                    .untilAsserted(() -> assertThatThrownBy(() -> vm.guest().ping(soon()))
                            .isInstanceOf(GuestException.ProtocolBroken.class));
        }
    }
}
