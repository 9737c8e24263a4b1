package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.qemu.qmp.ClientPort;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the provider of real VMs does beyond the contract: processes that are killed, silent QEMUs, hosts that lack something. */
class QemuVmProviderIT extends QemuTest {
    @Test
    void anAttachedVmEndsAfterItsGraceWhenItsOwnerIsKilled() throws Exception {
        VmId id = new VmId("orphan");
        assertThat(fixture.inAnotherJvm("own", id.value(), disk.toString(), "attached", "200"))
                .isEqualTo("ready");
        try (QemuProvider provider = fixture.open()) {
            assertThat(provider.get(id).orElseThrow().state()).isEqualTo(VmState.RUNNING);
            assertThatThrownBy(() -> provider.destroy(id)).isInstanceOf(VmException.Busy.class);
            QemuFixture.killAndWait(fixture.latestChild());
            Awaitility.await().until(() -> provider.get(id).orElseThrow().state() == VmState.STOPPED);
            VmExit exit = provider.get(id).orElseThrow().exit().orElseThrow();
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.OWNER_GONE);
            assertThat(exit.crashed()).isFalse();
            provider.destroy(id);
        }
    }

    @Test
    void anAttachedVmWhoseOwnerWasKilledIsAdoptedWithinItsGraceAndEndsWithItsNewOwner() throws Exception {
        VmId id = new VmId("adopted");
        assertThat(fixture.inAnotherJvm("own", id.value(), disk.toString(), "attached", "10000"))
                .isEqualTo("ready");
        Process owner = fixture.latestChild();
        // It runs before the grace does.
        BufferedReader adopter = fixture.begin("adopt", id.value()).inputReader();
        assertThat(adopter.readLine()).isEqualTo("waits");
        QemuFixture.killAndWait(owner);
        assertThat(adopter.readLine()).isEqualTo("ready");
        try (QemuProvider provider = fixture.open()) {
            assertThatThrownBy(() -> provider.adopt(id, soon())).isInstanceOf(VmException.Busy.class);
            QemuFixture.killAndWait(fixture.latestChild());
            VmExit exit;
            try (Vm vm = provider.adopt(id, soon())) {
                assertThat(output(vm, ExecRequest.of("echo", "alive"))).isEqualTo("alive\n");
                // Longer than the grace: the guard looks at the lock, and leaves the VM to its third owner.
                Awaitility.await()
                        .during(Duration.ofSeconds(11))
                        .until(() -> provider.get(id).orElseThrow().state() == VmState.RUNNING);
            }
            exit = provider.get(id).orElseThrow().exit().orElseThrow();
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.KILLED);
            provider.destroy(id);
        }
    }

    @Test
    void whoAdoptsAVmCanDetachIt() throws Exception {
        VmId id = new VmId("adopted");
        assertThat(fixture.inAnotherJvm("own", id.value(), disk.toString(), "attached", "10000"))
                .isEqualTo("ready");
        QemuFixture.killAndWait(fixture.latestChild());
        try (QemuProvider provider = fixture.open()) {
            try (Vm vm = provider.adopt(id, soon())) {
                vm.detach();
            }
            Awaitility.await()
                    .during(Duration.ofSeconds(11))
                    .until(() -> provider.get(id).orElseThrow().state() == VmState.RUNNING);
            try (Vm vm = provider.connect(id, soon())) {
                vm.guest().ping(soon());
            }
        }
    }

    @Test
    void aDetachedVmSurvivesItsOwnersDeathAndIsSharedByTwoProcesses() throws Exception {
        VmId id = new VmId("survivor");
        assertThat(fixture.inAnotherJvm("own", id.value(), disk.toString(), "detached", "200"))
                .isEqualTo("ready");
        QemuFixture.killAndWait(fixture.latestChild());
        assertThat(fixture.inAnotherJvm("connect", id.value())).isEqualTo("ready");
        try (QemuProvider provider = fixture.open();
                Vm vm = provider.connect(id, soon())) {
            assertThat(output(vm, ExecRequest.of("echo", "alive"))).isEqualTo("alive\n");
            QemuFixture.killAndWait(fixture.latestChild());
            vm.guest().ping(soon());
            assertThat(vm.stop(Duration.ofSeconds(5), soon()).goodbye()).isPresent();
        }
    }

    @Test
    void clientsPortsAreThereFromTheFirstClientToTheEnd() throws Exception {
        try (VmProvider provider = provider();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            assertThat(sockets()).containsExactly(vm.id() + ".0", vm.id() + ".qmp");
            for (int i = 0; i < 2; i++) {
                try (Vm client = provider.connect(vm.id(), soon())) {
                    assertThat(output(client, ExecRequest.of("echo", "hi"))).isEqualTo("hi\n");
                }
                assertThat(sockets()).containsExactly(vm.id() + ".0", vm.id() + ".1", vm.id() + ".qmp");
            }
            vm.kill(soon());
            vm.destroy();
            assertThat(sockets()).isEmpty();
        }
    }

    @Test
    void aPortThatItsClientCouldNotFinishIsFinishedByTheNext() throws Exception {
        try (VmProvider provider = provider();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            VmLayout layout = VmLayout.of(fixture.stateRoot());
            assertThat(fixture.inAnotherJvm("plug in by half", vm.id().value())).isEqualTo("ready");
            QemuFixture.killAndWait(fixture.latestChild());
            ClientPort half = new QemuMonitor(layout, vm.id()).converse(soon(), qemu -> {
                ClientPort second = new ClientPort(layout, vm.id(), 2);
                second.listen(qemu);
                second.attach(qemu);
                return second;
            });
            assertThat(half).isNotNull();
            leaveStaleSocket(layout.pendingPortSocket(vm.id(), 3));
            leaveStaleSocket(layout.portSocket(vm.id(), 3));
            try (Vm first = provider.connect(vm.id(), soon());
                    Vm second = provider.connect(vm.id(), soon());
                    Vm third = provider.connect(vm.id(), soon())) {
                for (Vm client : List.of(first, second, third)) {
                    assertThat(output(client, ExecRequest.of("echo", "hi"))).isEqualTo("hi\n");
                }
            }
            vm.kill(soon());
            vm.destroy();
            assertThat(sockets()).isEmpty();
        }
    }

    private static void leaveStaleSocket(Path path) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
        }
    }

    @Test
    void clientsThatComeAtOnceGetAPortEach() throws Exception {
        try (VmProvider provider = provider();
                Vm vm = provider.create(spec());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            vm.start(soon());
            List<Callable<Vm>> connects = Collections.nCopies(7, () -> provider.connect(vm.id(), soon()));
            List<Vm> clients = new ArrayList<>();
            for (Future<Vm> connected : threads.invokeAll(connects)) {
                clients.add(connected.get());
            }
            for (Vm client : clients) {
                assertThat(output(client, ExecRequest.of("echo", "hi"))).isEqualTo("hi\n");
            }
        }
    }

    private List<String> sockets() throws IOException {
        try (Stream<Path> files = Files.list(VmLayout.of(fixture.stateRoot()).runtimeDirectory())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aLostGuardIsAVmThatHasCrashed() throws Exception {
        try (QemuProvider provider = fixture.open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            ProcessIdentity guard = provider.get(vm.id()).orElseThrow().guard().orElseThrow();
            ProcessHandle.of(guard.pid()).orElseThrow().destroyForcibly();
            VmExit exit = vm.awaitExit(soon());
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.GUARD_LOST);
            assertThat(exit.crashed()).isTrue();
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
            assertThat(provider.get(vm.id()).orElseThrow().state()).isEqualTo(VmState.FAILED);
            vm.destroy();
            assertThat(VmLayout.of(fixture.stateRoot()).runtimeDirectory()).isEmptyDirectory();
        }
    }

    @Test
    void severalProcessorsHaveAClockFinerThanTheTick() throws Exception {
        try (QemuProvider provider = fixture.open();
                Vm vm = provider.create(spec().withCpus(2))) {
            vm.start(soon());
            String clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
            assertThat(output(vm, ExecRequest.of("cat", clock))).matches("(tsc|tsc-early|kvm-clock)\n");
        }
    }

    @Test
    void aBootThatHangsIsKilledTriedAgainAndReportedWithTheConsole() throws Exception {
        VmResources broken = new VmResources(
                resources.qemu(),
                resources.guard(),
                resources.clockMeter(),
                new KernelImage(
                        resources.kernel().kernel(),
                        emptyInitramfs(),
                        resources.kernel().properties()));
        try (QemuProvider provider = new QemuProvider(
                        VmLayout.of(fixture.stateRoot()), broken, new BootPolicy(2, Duration.ofMinutes(2)));
                Vm vm = provider.create(spec())) {
            assertThatThrownBy(() -> vm.start(soon())).isInstanceOfSatisfying(VmException.StartFailed.class, e -> {
                assertThat(e.consoleTail()).contains("Kernel panic");
                assertThat(e.remedy()).contains("Kernel panic");
            });
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
            assertThat(provider.get(vm.id()).orElseThrow().state()).isEqualTo(VmState.FAILED);
            vm.destroy();
            assertThat(provider.list()).isEmpty();
        }
    }

    @Test
    void aStartThatFailsOverADamagedFileHasItMendedAndIsTriedAgain() throws Exception {
        Path initramfs = emptyInitramfs();
        AtomicInteger mended = new AtomicInteger();
        ResourceOrigin origin = new ResourceOrigin(
                "Unpack it anew.",
                () -> {
                    mended.incrementAndGet();
                    try {
                        Files.copy(resources.kernel().initramfs(), initramfs, StandardCopyOption.REPLACE_EXISTING);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return true;
                },
                Optional.empty());
        VmResources damaged = new VmResources(
                resources.qemu(),
                resources.guard(),
                resources.clockMeter(),
                new KernelImage(
                        resources.kernel().kernel(),
                        initramfs,
                        resources.kernel().properties()),
                Optional.empty(),
                Optional.empty(),
                origin);
        try (QemuProvider provider = new QemuProvider(
                        VmLayout.of(fixture.stateRoot()), damaged, new BootPolicy(1, Duration.ofMinutes(2)));
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            assertThat(output(vm, ExecRequest.of("echo", "up"))).isEqualTo("up\n");
            assertThat(mended).hasValue(1);
        }
    }

    /** The shorter ones pass before its owner has reached it. */
    @ParameterizedTest
    @ValueSource(longs = {1, 20, 100})
    void aBootThatItsMaximumDurationEndsIsNotTriedAgain(long millis) {
        try (QemuProvider provider = fixture.open();
                Vm vm = provider.create(spec().withMaxDuration(Duration.ofMillis(millis)))) {
            assertThatThrownBy(() -> vm.start(soon()))
                    .isInstanceOf(VmException.LimitReached.class)
                    .hasMessageContaining("longest time");
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
            vm.destroy();
        }
    }

    private Path emptyInitramfs() throws IOException {
        return Files.write(directory.resolve("initramfs"), new byte[512]);
    }

    @Test
    void aMissingDiskIsAnErrorBeforeAnythingStarts() {
        VmSpec spec = VmSpec.of(VmId.random(), RootDisk.raw(directory.resolve("none")));
        try (QemuProvider provider = fixture.open();
                Vm vm = provider.create(spec)) {
            assertThatThrownBy(() -> vm.start(soon())).isInstanceOf(VmException.MissingResource.class);
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
        }
    }

    @Test
    void theAnswerOfTheProbeIsRememberedForThisBoot() throws IOException {
        try (QemuProvider provider = fixture.open()) {
            VmCapabilities found = provider.capabilities();
            assertThat(found.provider()).isEqualTo("qemu");
            assertThat(found.version()).matches("\\d+\\.\\d+.*");
            assertThat(found.acceleratorReason()).isNotBlank();
            assertThat(VmLayout.of(fixture.stateRoot()).accelerators()).isNotEmptyDirectory();
            try (QemuProvider other = fixture.open()) {
                assertThat(other.capabilities()).isEqualTo(found);
            }
        }
    }

    @Test
    void anOpenMonitorIsNotSharedWithAnotherProcess() {
        try (QemuProvider provider = fixture.open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            try (LockFile _ = LockFile.tryLock(VmLayout.of(fixture.stateRoot()).monitorLock(vm.id()))
                    .orElseThrow()) {
                Deadline waitedOut = Deadline.after(Duration.ofSeconds(5));
                assertThatThrownBy(() -> vm.pause(waitedOut)).isInstanceOf(VmException.Busy.class);
            }
            vm.pause(soon());
        }
    }
}
