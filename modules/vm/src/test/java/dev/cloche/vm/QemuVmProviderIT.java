package dev.cloche.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.linux.LockFile;
import dev.cloche.linux.ProcessIdentity;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real VMs, if this host has QEMU, mkfs.erofs and a static busybox, and the guest's parts are built. */
class QemuVmProviderIT extends VmProviderContract {
    private static final Path BUSYBOX = Path.of("/bin/busybox");

    @TempDir
    static Path shared;

    private static Path disk;
    private static VmResources resources;

    @BeforeAll
    static void makeDisk() throws Exception {
        Path share = Path.of(System.getProperty("cloche.share", "dist/share"))
                .toAbsolutePath()
                .normalize();
        try {
            resources = VmResources.find(List.of(share));
        } catch (VmResourcesException missing) {
            Assumptions.abort(missing.getMessage() + ". " + missing.remedy());
        }
        Assumptions.assumeTrue(Files.isExecutable(BUSYBOX), "there is no static busybox (Debian: busybox-static)");
        Path root = Files.createDirectory(shared.resolve("root"));
        for (String name : List.of("bin", "etc", "tmp", "root", "dev", "proc", "sys")) {
            Files.createDirectory(root.resolve(name));
        }
        Files.copy(BUSYBOX, root.resolve("bin/busybox"));
        for (String name : List.of("true", "false", "echo", "cat", "sleep", "env", "pwd", "hostname", "yes", "sh")) {
            Files.createSymbolicLink(root.resolve("bin/" + name), Path.of("busybox"));
        }
        Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
        Files.writeString(root.resolve("etc/group"), "root:x:0:\n");
        disk = shared.resolve("root, with a comma.erofs");
        Path log = shared.resolve("mkfs.log");
        Process mkfs = new ProcessBuilder("mkfs.erofs", disk.toString(), root.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(mkfs.waitFor()).as(Files.readString(log)).isZero();
    }

    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void endEverything() throws IOException {
        children.forEach(Process::destroyForcibly);
        if (Files.isDirectory(stateRoot())) {
            try (QemuProvider provider = open()) {
                for (VmInfo info : provider.list()) {
                    if (info.state().live()) {
                        provider.kill(info.id(), soon());
                    }
                    provider.destroy(info.id());
                }
            }
            Files.delete(VmLayout.of(stateRoot()).runtimeDirectory());
        }
    }

    @Override
    protected QemuProvider open() {
        return new QemuProvider(VmLayout.of(stateRoot()), resources);
    }

    @Override
    public RootDisk rootDisk() {
        return RootDisk.raw(disk);
    }

    private Path stateRoot() {
        return directory.resolve("state");
    }

    /** Starts {@link OtherProcess} and answers the first line that it prints. */
    private String inAnotherJvm(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName(),
                stateRoot().toString(),
                resources.guard().resolveSibling("").toString()));
        command.addAll(List.of(arguments));
        Process child = new ProcessBuilder(command)
                .redirectError(
                        directory.resolve("child-" + children.size() + ".log").toFile())
                .start();
        children.add(child);
        BufferedReader reader = child.inputReader();
        return String.valueOf(reader.readLine());
    }

    private static void killAndWait(Process process) throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Test
    void anAttachedVmEndsAfterItsGraceWhenItsOwnerIsKilled() throws Exception {
        VmId id = new VmId("orphan");
        assertThat(inAnotherJvm("own", id.value(), disk.toString(), "attached")).isEqualTo("ready");
        try (QemuProvider provider = open()) {
            assertThat(provider.get(id).orElseThrow().state()).isEqualTo(VmState.RUNNING);
            assertThatThrownBy(() -> provider.destroy(id)).isInstanceOf(VmBusyException.class);
            killAndWait(children.getFirst());
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> provider.get(id).orElseThrow().state() == VmState.STOPPED);
            VmExit exit = provider.get(id).orElseThrow().exit().orElseThrow();
            assertThat(exit.cause()).isEqualTo(VmExit.Cause.OWNER_GONE);
            assertThat(exit.crashed()).isFalse();
            provider.destroy(id);
        }
    }

    @Test
    void aDetachedVmSurvivesItsOwnersDeathAndIsSharedByTwoProcesses() throws Exception {
        VmId id = new VmId("survivor");
        assertThat(inAnotherJvm("own", id.value(), disk.toString(), "detached")).isEqualTo("ready");
        killAndWait(children.getFirst());
        assertThat(inAnotherJvm("connect", id.value())).isEqualTo("ready");
        try (QemuProvider provider = open();
                Vm vm = provider.connect(id, soon())) {
            assertThat(output(vm, ExecRequest.of("echo", "alive"))).isEqualTo("alive\n");
            killAndWait(children.getLast());
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
            VmLayout layout = VmLayout.of(stateRoot());
            assertThat(inAnotherJvm("plug in by half", vm.id().value())).isEqualTo("ready");
            killAndWait(children.getFirst());
            new QemuMonitor(layout, vm.id()).converse(soon(), qemu -> {
                ClientPort second = new ClientPort(layout, vm.id(), 2);
                second.listen(qemu);
                second.attach(qemu);
            });
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
        try (Stream<Path> files = Files.list(VmLayout.of(stateRoot()).runtimeDirectory())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aLostGuardIsAVmThatHasCrashed() throws Exception {
        try (QemuProvider provider = open();
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
            assertThat(VmLayout.of(stateRoot()).runtimeDirectory()).isEmptyDirectory();
        }
    }

    @Test
    void severalProcessorsHaveAClockFinerThanTheTick() throws Exception {
        try (QemuProvider provider = open();
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
                        resources.kernel().facts()));
        try (QemuProvider provider =
                        new QemuProvider(VmLayout.of(stateRoot()), broken, new BootPolicy(2, Duration.ofSeconds(20)));
                Vm vm = provider.create(spec())) {
            assertThatThrownBy(() -> vm.start(soon())).isInstanceOfSatisfying(VmStartException.class, e -> {
                assertThat(e.consoleTail()).contains("Kernel panic");
                assertThat(e.remedy()).contains("Kernel panic");
            });
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
            assertThat(provider.get(vm.id()).orElseThrow().state()).isEqualTo(VmState.FAILED);
            vm.destroy();
            assertThat(provider.list()).isEmpty();
        }
    }

    private Path emptyInitramfs() throws IOException {
        return Files.write(directory.resolve("initramfs"), new byte[512]);
    }

    @Test
    void aMissingDiskIsAnErrorBeforeAnythingStarts() {
        VmSpec spec = VmSpec.of(VmId.random(), RootDisk.raw(directory.resolve("none")));
        try (QemuProvider provider = open();
                Vm vm = provider.create(spec)) {
            assertThatThrownBy(() -> vm.start(soon())).isInstanceOf(VmResourcesException.class);
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
        }
    }

    @Test
    void theAnswerOfTheProbeIsRememberedForThisBoot() throws IOException {
        try (QemuProvider provider = open()) {
            VmCapabilities found = provider.capabilities();
            assertThat(found.provider()).isEqualTo("qemu");
            assertThat(found.version()).matches("\\d+\\.\\d+.*");
            assertThat(found.acceleratorReason()).isNotBlank();
            assertThat(stateRoot().resolve("accelerator.json")).isNotEmptyFile();
            try (QemuProvider other = open()) {
                assertThat(other.capabilities()).isEqualTo(found);
            }
        }
    }

    @Test
    void anOpenMonitorIsNotSharedWithAnotherProcess() {
        try (QemuProvider provider = open();
                Vm vm = provider.create(spec())) {
            vm.start(soon());
            try (LockFile _ = LockFile.tryLock(VmLayout.of(stateRoot()).monitorLock(vm.id()))
                    .orElseThrow()) {
                assertThatThrownBy(() -> vm.pause(soon())).isInstanceOf(VmBusyException.class);
            }
            vm.pause(soon());
        }
    }
}
