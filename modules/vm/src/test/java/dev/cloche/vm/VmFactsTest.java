package dev.cloche.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VmFactsTest {
    private static final String EXIT = """
            {"version":1,"cause":"%s","exitCode":%s,"signal":%s,"startedAt":1700000000000,"endedAt":1700000001000,\
            "goodbye":"%s"}""";

    @TempDir
    Path directory;

    private Path vm(String name) throws IOException {
        return Files.createDirectories(directory.resolve("vms").resolve(name));
    }

    private VmInfo info(String name) {
        return new VmDirectory(new VmLayout(directory, directory.resolve("r")))
                .get(new VmId(name))
                .orElseThrow();
    }

    private void guarded(Path vm) throws IOException {
        Files.writeString(vm.resolve("guard.json"), "{\"version\":1,\"pid\":4711,\"startTime\":5,\"bootId\":\"b\"}");
        Files.createFile(vm.resolve("lock"));
    }

    @Test
    void aVmThatDidNotComeUpSaysWhatItsConsoleSaid() {
        String console = "cloche: cannot mount /proc: Not a directory\n\n[    0.9] reboot: Restarting system";

        assertThat(new VmStartException("It did not come up", "", console, null))
                .hasMessage("It did not come up. Its console says: cloche: cannot mount /proc: Not a directory");
        assertThat(new VmStartException("It did not come up", "", "one\nno memory\n", null))
                .hasMessage("It did not come up. Its console says: no memory");
        assertThat(new VmStartException("It did not come up", "", "", null)).hasMessage("It did not come up");
    }

    @Test
    void theTableHasExactlyTheseTransitions() {
        Map<VmState, EnumSet<VmTransition>> allowed = Map.of(
                VmState.CREATED, EnumSet.of(VmTransition.STARTED, VmTransition.START_FAILED, VmTransition.DESTROYED),
                VmState.RUNNING, EnumSet.of(VmTransition.PAUSED, VmTransition.ENDED, VmTransition.CRASHED),
                VmState.PAUSED, EnumSet.of(VmTransition.RESUMED, VmTransition.ENDED, VmTransition.CRASHED),
                VmState.STOPPED, EnumSet.of(VmTransition.DESTROYED),
                VmState.FAILED, EnumSet.of(VmTransition.DESTROYED),
                VmState.DESTROYED, EnumSet.noneOf(VmTransition.class));
        for (VmState state : VmState.values()) {
            for (VmTransition transition : VmTransition.values()) {
                assertThat(VmTransitions.next(state, transition).isPresent())
                        .as("%s, %s", state, transition)
                        .isEqualTo(allowed.getOrDefault(state, EnumSet.noneOf(VmTransition.class))
                                .contains(transition));
            }
        }
    }

    @Test
    void aHeldLockIsARunningVmAndAFreeOneHasEnded() throws IOException {
        Path vm = vm("a");
        assertThat(info("a").state()).isEqualTo(VmState.CREATED);
        guarded(vm);
        try (LockFile _ = LockFile.tryLock(vm.resolve("lock")).orElseThrow()) {
            assertThat(info("a").state()).isEqualTo(VmState.RUNNING);
            assertThat(info("a").guard().orElseThrow().pid()).isEqualTo(4711);
        }
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        assertThat(info("a").exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.GUARD_LOST);
    }

    @Test
    void theGuardsRecordTellsHowAVmEnded() throws IOException {
        Path vm = vm("a");
        guarded(vm);
        byte[] words = GuestFrames.goodbye(
                        new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(new ExitStatus.Exited(3))))
                .array();
        Files.writeString(
                vm.resolve("exit.json"),
                EXIT.formatted("exited", "0", "null", HexFormat.of().formatHex(words)));
        VmExit exit = info("a").exit().orElseThrow();
        assertThat(exit.mainExit()).contains(new ExitStatus.Exited(3));
        assertThat(exit.processExitCode()).hasValue(0);
        assertThat(exit.endedAt()).isEqualTo(Instant.ofEpochMilli(1700000001000L));
        assertThat(info("a").state()).isEqualTo(VmState.STOPPED);

        Files.writeString(vm.resolve("exit.json"), EXIT.formatted("exited", "0", "null", "00ff"));
        assertThat(info("a").exit().orElseThrow().crashed()).isTrue();
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);

        Files.writeString(vm.resolve("exit.json"), EXIT.formatted("max-duration", "null", "9", ""));
        assertThat(info("a").exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
        assertThat(info("a").state()).isEqualTo(VmState.STOPPED);
    }

    @Test
    void anEndThatWasAskedForIsNoCrash() throws IOException {
        Path vm = vm("a");
        guarded(vm);
        Files.writeString(vm.resolve("exit.json"), EXIT.formatted("exited", "0", "null", ""));
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        VmNote.STOP_ASKED.leave(vm);
        assertThat(info("a").exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.STOPPED);
        assertThat(info("a").state()).isEqualTo(VmState.STOPPED);
    }

    @Test
    void aVmWhoseBootsWereAllKilledHasFailed() throws IOException {
        Path vm = vm("a");
        VmNote.START_FAILED.leave(vm);
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        guarded(vm);
        Files.writeString(vm.resolve("exit.json"), EXIT.formatted("killed", "null", "9", ""));
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        new GuardFiles(vm).clear();
        assertThat(info("a").state()).isEqualTo(VmState.CREATED);
    }

    @Test
    void aDamagedRecordIsAnErrorAndNotAnAbsence() throws IOException {
        Path vm = vm("a");
        guarded(vm);
        for (String damaged : List.of("", "{", "[]", "{\"version\":2}", EXIT.formatted("magic", "0", "null", ""))) {
            Files.writeString(vm.resolve("exit.json"), damaged);
            assertThatThrownBy(() -> info("a")).as(damaged).isInstanceOf(VmStorageException.class);
        }
    }

    @Test
    void specsOutsideOfTheirRangesAreRefused() {
        VmSpec spec = VmSpec.of(VmId.random(), RootDisk.raw(Path.of("/disk")));
        List<Runnable> wrong = List.of(
                () -> spec.withMemoryMiB(63),
                () -> spec.withCpus(0),
                () -> spec.withMaxDuration(Duration.ZERO),
                () -> spec.withOwnerGrace(Duration.ofDays(-1)),
                () -> RootDisk.raw(Path.of("relative")),
                () -> new VmId("../up"),
                () -> new VmId("x".repeat(41)),
                () -> ExecRequest.of("nul\0"),
                () -> ExecRequest.of("true").withWorkingDirectory("relative", false),
                () -> ExecRequest.of("true").withEnvironment(Map.of("A=B", "")),
                () -> ExecRequest.of("x".repeat(1 << 20)),
                () -> ExecRequest.of("true").withWindow(4095),
                () -> ExecRequest.of("true").asMain().acknowledged(),
                () -> ExecRequest.of("true").withLimits(List.of(files(1, 1), files(2, 2))),
                () -> files(2, 1),
                () -> files(ResourceLimit.UNLIMITED, 1),
                () -> new TerminalSize(0, 80),
                () -> new AttachPoint(0, -1),
                () -> GuestIdentity.UNCHANGED.withHostname("-"),
                () -> GuestIdentity.UNCHANGED.withEnvironment(Map.of("A=B", "")),
                () -> GuestIdentity.UNCHANGED.withSecrets(Map.of(".hidden", new byte[1])),
                () -> GuestIdentity.UNCHANGED.withSecrets(Map.of("a/b", new byte[1])),
                () -> GuestIdentity.UNCHANGED.withSecrets(Map.of("large", new byte[65_537])),
                () -> GuestIdentity.UNCHANGED.withSecrets(seventeenLargeOnes()),
                () -> network("10.0.2.15", "10.0.2.2"),
                () -> network("10.0.2.15/33", "10.0.2.2"),
                () -> network("10.2/8", "10.0.2.2"),
                () -> network("10.0.2.15/24", "gateway.example"),
                () -> network("fe80::1%eth0/64", "fe80::2"));
        for (Runnable one : wrong) {
            assertThatThrownBy(one::run).isInstanceOf(InvalidVmSpecException.class);
        }
    }

    private static ResourceLimit files(long soft, long hard) {
        return new ResourceLimit(ResourceLimit.Resource.NOFILE, soft, hard);
    }

    private static GuestNetwork network(String address, String gateway) {
        return new GuestNetwork(OptionalInt.empty(), Optional.empty(), List.of(address), List.of(gateway), List.of());
    }

    private static Map<String, byte[]> seventeenLargeOnes() {
        Map<String, byte[]> secrets = new HashMap<>();
        for (int i = 0; i < 17; i++) {
            secrets.put("secret-" + i, new byte[65_536]);
        }
        return secrets;
    }

    @Test
    void anIdentityShowsNoSecrets() {
        GuestIdentity identity = GuestIdentity.fresh("box", Clock.systemUTC())
                .withEnvironment(Map.of("TOKEN", "hidden"))
                .withSecrets(Map.of("key", "hidden".getBytes(StandardCharsets.UTF_8)));
        assertThat(identity.toString()).contains("box", "TOKEN", "key").doesNotContain("hidden");
    }

    @Test
    void aWholeIdentityArrivesAsItWasSent() throws Exception {
        GuestNetwork network = new GuestNetwork(
                OptionalInt.of(1400),
                Optional.of("02:00:5e:00:00:01"),
                List.of("10.0.2.15/24", "fd00::15/64"),
                List.of("10.0.2.2"),
                List.of("10.0.2.3"));
        GuestIdentity sent = GuestIdentity.fresh("box", Clock.systemUTC())
                .withEnvironment(Map.of("A", "b=c"))
                .withSecrets(Map.of("key", new byte[] {'=', 0, -1}))
                .withNetwork(network);
        FrameDecoder decoder = new FrameDecoder();
        decoder.space().put(HostFrames.configure(1, sent));
        decoder.filled();
        GuestIdentity read = HostRequests.identity(
                new PayloadReader("configure", decoder.next().orElseThrow().payload()));
        assertThat(read.network()).contains(network);
        assertThat(read.environment()).isEqualTo(sent.environment());
        assertThat(read.secrets()).hasSize(1).containsEntry("key", new byte[] {'=', 0, -1});
        assertThat(read.clock()).isEqualTo(sent.clock());
        assertThat(read.machineId()).isEqualTo(sent.machineId());
    }

    @Test
    void theLargestRequestFitsIntoOneMessage() {
        ExecRequest largest = ExecRequest.of("x".repeat((1 << 20) - 200));
        assertThat(HostFrames.exec(1, largest, 1).remaining()).isGreaterThan(1 << 20);
    }

    @Test
    void socketsHaveShortNamesHoweverDeepTheStateRootIs() throws IOException {
        VmLayout layout = VmLayout.of(directory.resolve("x".repeat(90)).resolve("y".repeat(90)));
        assertThat(layout.monitorSocket(new VmId("x".repeat(40))).toString().length())
                .isLessThanOrEqualTo(107);
        Files.delete(layout.runtimeDirectory());
    }

    @Test
    void aRuntimeDirectoryThatLeavesNoRoomForSocketsIsRefused() throws IOException {
        Path longPath = Files.createDirectories(directory.resolve("x".repeat(90)));
        assertThatThrownBy(() -> VmLayout.of(directory.resolve("state"), longPath))
                .isInstanceOf(InvalidVmSpecException.class);
    }

    @Test
    void aRuntimeDirectoryThatIsNotThisUsersAloneIsRefused() throws IOException {
        Path temporary = Files.createDirectory(directory.resolve("t"));
        Path base = temporary.resolve("cloche-" + PrivateDirectory.user());
        Files.createDirectory(base);
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertRefused(temporary);
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwx------"));
        VmLayout.of(directory.resolve("state"), temporary);

        Files.move(base, directory.resolve("elsewhere"));
        Files.createSymbolicLink(base, directory.resolve("elsewhere"));
        assertRefused(temporary);
    }

    @Test
    void aRuntimeDirectoryOfAStrangerIsRefused() throws IOException {
        Assumptions.assumeTrue(PrivateDirectory.user() == 0, "only root can give a directory to somebody else");
        Path temporary = Files.createDirectory(directory.resolve("t"));
        Path base = Files.createDirectory(
                temporary.resolve("cloche-0"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.setAttribute(base, "unix:uid", 12345);
        assertRefused(temporary);
    }

    private void assertRefused(Path temporary) {
        assertThatThrownBy(() -> VmLayout.of(directory.resolve("state"), temporary))
                .isInstanceOf(VmStorageException.class)
                .hasMessageContaining("not this user's alone");
    }

    @Test
    void aCommaInAPathDoesNotEndTheOption() {
        VmResources resources = new VmResources(
                Path.of("/q"),
                Path.of("/g"),
                Path.of("/t"),
                new KernelImage(Path.of("/k"), Path.of("/i"), KernelFacts.UNRECORDED));
        HostFacts host = new HostFacts(
                new VmCapabilities("qemu", "7.2", Accelerator.TCG, "because"), OptionalLong.of(2_600_000));
        VmSpec spec = VmSpec.of(new VmId("a"), RootDisk.vmdk(Path.of("/a,readonly=off")));
        List<String> command = QemuCommand.guarded(
                spec,
                new VmLayout(Path.of("/s"), Path.of("/r")),
                resources,
                host,
                QemuLaunch.boot(new QemuLaunch.Ram.Anonymous(), Optional.empty()));
        assertThat(command)
                .contains(
                        "driver=vmdk,node-name=image,read-only=on,file.driver=file,file.filename=/a,,readonly=off",
                        "-nodefaults",
                        "-sandbox")
                .doesNotContain("-netdev", "-nic")
                .anyMatch(argument -> argument.endsWith("tsc_early_khz=2600000"));
    }

    @Test
    void aGuardsRecordThatAHostsCrashLeftEmptyIsNone() throws IOException {
        Path vm = Files.createDirectories(directory.resolve("vms/crashed"));
        Files.createFile(vm.resolve("guard.json"));
        VmDirectory vms = new VmDirectory(new VmLayout(directory, directory.resolve("r")));
        assertThat(vms.list()).extracting(VmInfo::state).containsExactly(VmState.CREATED);
    }

    @Test
    void aSpecComesBackFromItsFileAsItWas() throws IOException {
        RootDisk root = RootDisk.vmdk(Path.of("/a \"disk\"")).withContents("sha256:1");
        SnapshotRef snapshot = new SnapshotRef(
                new SnapshotName("s"),
                SnapshotRef.Kind.MAPPED,
                Instant.ofEpochMilli(1),
                512,
                2,
                root,
                WritableLayer.disk(64),
                true,
                true);
        VmId id = new VmId("a");
        for (VmSpec spec : List.of(
                VmSpec.of(id, RootDisk.raw(Path.of("/b"))).withAttached(false).withMaxDuration(Duration.ofDays(2)),
                VmSpec.of(id, root).asTemplateMaker().withOwnerGrace(Duration.ofMillis(3)),
                VmSpec.of(id, root)
                        .withNetwork(new NetworkSpec.User(
                                PublishedPort.parse("0.0.0.0:8000-8001:80-81/udp"), Optional.of("9.9.9.9"))),
                VmSpec.restored(id, snapshot).withOutputLogBytes(1 << 20))) {
            StoredSpec.write(directory, spec);
            assertThat(StoredSpec.read(directory, id)).isEqualTo(spec);
        }
        Files.writeString(directory.resolve("spec.json"), "{\"version\":2}");
        assertThatThrownBy(() -> StoredSpec.read(directory, id))
                .isInstanceOf(VmStorageException.class)
                .hasMessageContaining("version");
        Files.write(directory.resolve("spec.json"), new byte[300_000]);
        assertThatThrownBy(() -> StoredSpec.read(directory, id)).isInstanceOf(VmStorageException.class);
    }

    @Test
    void aKeyNamesWhatIsDifferentAndBearsWithTheCountersMeasure() {
        SnapshotKey then = SnapshotKey.of(Map.of("qemu", "7.2.22", "counterKiloHertz", "2600000", "kernel", "a"));
        SnapshotKey now = SnapshotKey.of(Map.of("qemu", "7.2.23", "counterKiloHertz", "2600001", "kernel", "a"));
        assertThat(then.differences(then)).isEmpty();
        assertThat(then.differences(now))
                .containsExactly(new SnapshotMismatchException.Difference("qemu", "7.2.22", "7.2.23"));
        assertThat(then.differences(SnapshotKey.of(Map.of("qemu", "7.2.22", "counterKiloHertz", "2700000"))))
                .extracting(SnapshotMismatchException.Difference::field)
                .containsExactly("counterKiloHertz", "kernel");
    }

    @Test
    void theCopyOfAMemoryHasItsBytesAndHolesForTheRest() throws IOException {
        byte[] memory = new byte[5 * 1024 * 1024];
        memory[0] = 1;
        memory[4095] = 2;
        memory[1024 * 1024 - 1] = 3;
        memory[3 * 1024 * 1024] = 4;
        Path copy = directory.resolve("copy");
        RamFile.publish(Files.write(directory.resolve("memory"), memory), copy);
        assertThat(copy).hasBinaryContent(memory);
        Process stat = new ProcessBuilder("stat", "-c", "%b", copy.toString()).start();
        assertThat(Long.parseLong(stat.inputReader().readLine())).isLessThan(1024);
    }

    @Test
    void aDigestIsWorkedOutAnewWhenItsFileHasChanged() throws IOException {
        Path file = Files.writeString(directory.resolve("kernel"), "one");
        Path memory = directory.resolve("digests.json");
        String first = new FileDigests(memory).of(file);
        assertThat(first).isEqualTo(FileDigests.sha256(file));
        assertThat(memory).content().contains(first);
        Files.writeString(file, "two");
        assertThat(new FileDigests(memory).of(file))
                .isEqualTo(FileDigests.sha256(file))
                .isNotEqualTo(first);
        Files.writeString(memory, "no json");
        assertThat(new FileDigests(memory).of(file)).isEqualTo(FileDigests.sha256(file));
    }

    @Test
    void missingResourcesSayWhatToDo() {
        assertThatThrownBy(() -> VmResources.find(List.of(directory), "/none"))
                .isInstanceOfSatisfying(
                        VmResourcesException.class, e -> assertThat(e.remedy()).contains("Install QEMU"));
        assertThatThrownBy(() -> VmResources.find(List.of(directory), "/usr/bin:/bin"))
                .isInstanceOf(VmResourcesException.class);
    }

    @Test
    void aGuestsTextCannotMoveAPersonsCursor() {
        assertThat(Printable.of("a\u001b[2Jb\r\u202ec\nd")).isEqualTo("a\uFFFD[2Jb\uFFFD\uFFFDc\nd");
    }
}
