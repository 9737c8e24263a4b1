package dev.cloche.qemu.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.GuardBinary;
import dev.cloche.qemu.guard.PoolFiles;
import dev.cloche.qemu.guard.VmClaims;
import dev.cloche.qemu.guard.VmRemoval;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.VmAdmission;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vmm.admission.Holder;
import dev.cloche.vmm.admission.VmClaim;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Admission with real directories, locks, guards and processes, and {@code sleep} in the place of QEMU. */
class AdmissionTest {
    private static final Duration NOT = Duration.ZERO;
    private static final int PROCESSES = 8;
    private static final int SIGKILL = 9;

    private static String guardProgram = "";

    @TempDir
    Path directory;

    private VmLayout layout;
    private VmAdmissions one;

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        guardProgram = GuardBinary.compile().toString();
    }

    @BeforeEach
    void layOut() {
        layout = VmLayout.of(directory.resolve("state"), directory);
        one = AdmittedProcess.admissions(layout, () -> AdmittedProcess.room(1));
    }

    private LockFile admit(VmAdmissions admissions) {
        return admissions.make(AdmittedProcess.spec(VmId.random(), NOT));
    }

    private Process begin(String... arguments) throws IOException {
        return AdmittedProcess.begin(directory.resolve("errors"), arguments);
    }

    private String root() {
        return layout.stateRoot().toString();
    }

    private static Process guard(Path of, String seconds) throws IOException {
        Process guard = new ProcessBuilder(guardProgram, "--dir", of.toString(), "--", "/bin/sleep", seconds)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(guard.inputReader().readLine()).startsWith("started ");
        return guard;
    }

    @Test
    void nothingIsLeftOfWhatIsMadeByAnInterruptedThread() throws IOException {
        for (Runnable making : List.<Runnable>of(
                () -> one.make(AdmittedProcess.spec(VmId.random(), NOT)),
                () -> one.make(AdmittedProcess.spec(VmId.random(), NOT), new PoolSlot("label", Duration.ofHours(1))))) {
            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(making::run).isInstanceOf(VmException.Interrupted.class);
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(layout.vms()).isEmptyDirectory();
        }
        // Nor is its place taken.
        admit(one).close();
    }

    @Test
    void manyProcessesAreNeverAboveTheLimitAndNoneIsRefusedThatWaits() throws Exception {
        Path log = directory.resolve("log");
        requireAllStarted(beginStarts(25, 3, Duration.ofMinutes(5), log), 25, log);
    }

    private List<Process> beginStarts(int starts, int room, Duration patience, Path log) throws IOException {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(begin(
                    root(),
                    guardProgram,
                    String.valueOf(room),
                    "start",
                    String.valueOf(starts),
                    log.toString(),
                    patience.toString()));
        }
        return processes;
    }

    private void requireAllStarted(List<Process> processes, int starts, Path log)
            throws IOException, InterruptedException {
        for (Process process : processes) {
            assertThat(process.waitFor()).as(this::errors).isZero();
        }
        List<String> lines = Files.readAllLines(log);
        assertThat(lines.stream().distinct()).containsExactly("started");
        assertThat(lines).hasSize(PROCESSES * starts);
        // Without patience there never were any.
        Path tickets = layout.stateRoot().resolve("admission");
        assertThat(Files.notExists(tickets) || isEmpty(tickets)).isTrue();
    }

    /** Returns what the processes and their guards have said on standard error, before the directory is removed. */
    private String errors() {
        try {
            return Files.readString(directory.resolve("errors"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    @Test
    void aProcessThatIsKilledBetweenItsClaimAndItsStartFreesTheClaim() throws Exception {
        Process other = begin(root(), "none", "1", "claim", "PT0S");
        assertThat(other.inputReader().readLine()).isEqualTo("ready");
        assertThatThrownBy(() -> admit(one)).isInstanceOf(VmException.NoRoom.class);

        other.destroyForcibly().waitFor();
        try (LockFile mine = admit(one)) {
            assertThat(mine).isNotNull();
        }
    }

    @Test
    void thoseThatWaitInOtherProcessesComeInTheirOrderAndADeadOneIsPassedOver() throws Exception {
        Path order = directory.resolve("order");
        List<Process> waiters = new ArrayList<>();
        Process dead;
        try (LockFile _ = admit(one)) {
            waiters.add(begin(root(), "none", "1", "wait", "first", order.toString()));
            await().until(() -> tickets() == 1);
            dead = begin(root(), "none", "1", "wait", "dead", order.toString());
            await().until(() -> tickets() == 2);
            for (String name : List.of("second", "third")) {
                waiters.add(begin(root(), "none", "1", "wait", name, order.toString()));
                int expected = waiters.size() + 1;
                await().until(() -> tickets() == expected);
            }
            assertThatThrownBy(() -> admit(one)).isInstanceOf(VmException.NoRoom.class);
            dead.destroyForcibly().waitFor();
            assertThat(order).doesNotExist();
        }
        for (Process waiter : waiters) {
            assertThat(waiter.waitFor()).isZero();
        }
        assertThat(Files.readAllLines(order)).containsExactly("first", "second", "third");
    }

    @Test
    void aVmThatIsMadeAnewIsAdmittedAsAnyOther() throws Exception {
        VmId id = VmId.random();
        one.make(AdmittedProcess.spec(id, NOT)).close();
        Path claim = layout.directory(id).resolve("claim.json");
        Files.delete(claim);
        try (LockFile _ = admit(one)) {
            assertThatThrownBy(() -> one.renew(AdmittedProcess.spec(id, NOT), () -> {}))
                    .isInstanceOf(VmException.NoRoom.class);
            assertThat(LockFile.isHeld(layout.ownerLock(id))).isFalse();
        }
        try (LockFile _ = one.renew(AdmittedProcess.spec(id, NOT), () -> {})) {
            assertThat(claim).exists();
            assertThatThrownBy(() -> admit(one)).isInstanceOf(VmException.NoRoom.class);
        }
    }

    /** The same at length, while further processes are killed between their claim and their start. */
    @Test
    @Tag("slow")
    void manyProcessesWith200StartsEachAreNeverAboveTheLimitWhileOthersAreKilledThatHaveClaimed() throws Exception {
        Path log = directory.resolve("log");
        List<Process> processes = beginStarts(200, 3, Duration.ofMinutes(30), log);
        int killed = 0;
        while (processes.stream().anyMatch(Process::isAlive)) {
            Process other = begin(root(), "none", "3", "claim", "PT30M");
            assertThat(other.inputReader().readLine()).isEqualTo("ready");
            assertThat(other.destroyForcibly().waitFor()).isEqualTo(128 + SIGKILL);
            killed++;
        }
        requireAllStarted(processes, 200, log);
        assertThat(killed).isGreaterThan(1);
    }

    @Test
    @Tag("slow")
    void ofManyProcessesWith200StartsEachNoneIsRefusedThatHasRoom() throws Exception {
        Path log = directory.resolve("log");
        requireAllStarted(beginStarts(200, PROCESSES, NOT, log), 200, log);
    }

    private long tickets() throws IOException {
        Path tickets = layout.stateRoot().resolve("admission");
        if (!Files.isDirectory(tickets)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(tickets)) {
            return files.filter(LockFile::isHeld).count();
        }
    }

    @Test
    void aClaimCountsAsLongAsItsGuardLivesAlsoWithoutItsOwner() throws Exception {
        VmId id = VmId.random();
        Process guard;
        try (LockFile _ = one.make(AdmittedProcess.spec(id, NOT))) {
            guard = guard(layout.directory(id), "1000");
        }
        assertThatThrownBy(() -> admit(one)).isInstanceOf(VmException.NoRoom.class);
        guard.destroy();
        assertThat(guard.waitFor()).isZero();
        try (LockFile mine = admit(one)) {
            assertThat(mine).isNotNull();
        }
    }

    @Test
    void aDamagedClaimIsMadeUpForByWhatTheVmIsMadeOf() throws Exception {
        VmId id = VmId.random();
        try (LockFile _ = one.make(AdmittedProcess.spec(id, NOT))) {
            VmClaim before = new VmClaims(layout).of(id);
            for (String damage : List.of("", "{", "{\"version\":1}", "{\"version\":9}")) {
                Files.writeString(layout.directory(id).resolve("claim.json"), damage);
                assertThat(new VmClaims(layout).of(id)).isEqualTo(before);
            }
            assertThatThrownBy(() -> admit(one)).isInstanceOf(VmException.NoRoom.class);

            Files.writeString(layout.directory(id).resolve("spec.json"), "");
            assertThat(new VmClaims(layout).of(id)).isEqualTo(VmClaim.UNKNOWN);
        }
    }

    @Test
    void aVmThatIsRemovedWhileItsClaimIsReadDoesNotCount() throws Exception {
        VmId id = VmId.random();
        try (LockFile _ = one.make(AdmittedProcess.spec(id, NOT))) {
            // Its reader waits for the writer.
            Path claim = layout.directory(id).resolve("claim.json");
            Files.delete(claim);
            assertThat(new ProcessBuilder("mkfifo", claim.toString())
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
            CompletableFuture<List<Holder>> found = CompletableFuture.supplyAsync(() -> new VmClaims(layout).find());
            try (OutputStream _ = Files.newOutputStream(claim, StandardOpenOption.WRITE)) {
                Files.move(layout.directory(id), layout.vms().resolve(".removed"));
            }
            assertThat(found.get()).isEmpty();
        }
    }

    @Test
    void aVmFromBeforeThereWereClaimsCountsWhileItRuns() throws Exception {
        VmAdmissions off = AdmittedProcess.admissions(layout, VmLimits::off);
        VmId id = VmId.random();
        try (LockFile _ = off.make(AdmittedProcess.spec(id, NOT))) {
            assertThat(layout.directory(id).resolve("claim.json")).doesNotExist();
            Process guard = guard(layout.directory(id), "1000");
            assertThatThrownBy(() -> admit(one)).isInstanceOf(VmException.NoRoom.class);
            guard.destroyForcibly().waitFor();
        }
    }

    @Test
    void theClaimsOfACopiedStateRootDoNotCount() throws Exception {
        Path copy = directory.resolve("copy");
        try (LockFile _ = admit(one)) {
            Process cp = new ProcessBuilder("cp", "-a", root(), copy.toString())
                    .inheritIO()
                    .start();
            assertThat(cp.waitFor()).isZero();
        }
        VmLayout other = VmLayout.of(copy, directory);
        try (LockFile mine = admit(AdmittedProcess.admissions(other, () -> AdmittedProcess.room(1)))) {
            assertThat(mine).isNotNull();
        }
    }

    @Test
    void aRefusalLeavesNothing() throws IOException {
        try (LockFile _ = admit(one)) {
            assertThatThrownBy(() -> admit(one)).isInstanceOf(VmException.NoRoom.class);
            assertThatThrownBy(() -> one.make(
                            AdmittedProcess.spec(VmId.random(), NOT), new PoolSlot("p", Duration.ofMinutes(1))))
                    .isInstanceOf(VmException.NoRoom.class);
            try (Stream<Path> directories = Files.list(layout.vms())) {
                assertThat(directories).hasSize(1);
            }
        }
    }

    @Test
    void anEntryWithoutLabelsCountsAsASandboxFromItsClaimOn() throws IOException {
        VmId id = VmId.random();
        VmClaims claims = new VmClaims(layout);
        try (LockFile _ = one.make(AdmittedProcess.spec(id, NOT), new PoolSlot("p", Duration.ofMinutes(9)))) {
            PoolFiles files = new PoolFiles(layout.directory(id));
            files.shelve();
            one.admit(id, VmAdmission.NONE);
            assertThat(claims.atMost()).singleElement().satisfies(entry -> {
                assertThat(entry.claim().pooled()).isTrue();
                assertThat(entry.shelved()).isPresent();
            });
            assertThat(files.claim()).isTrue();
            assertThat(claims.atMost()).singleElement().satisfies(sandbox -> {
                assertThat(sandbox.claim().pooled()).isFalse();
                assertThat(sandbox.shelved()).isEmpty();
            });
        }
    }

    @Test
    void anEntryThatLiesOnItsShelfYieldsAndOneThatIsTakenDoesNot() throws Exception {
        VmId id = VmId.random();
        Path files = layout.directory(id);
        Process guard;
        try (LockFile _ = one.make(AdmittedProcess.spec(id, NOT), new PoolSlot("p", Duration.ofMinutes(9)))) {
            guard = guard(files, "1000");
            Files.createFile(files.resolve("pooled"));
            // Its owner is handing it over.
            assertThatThrownBy(() -> admit(one)).isInstanceOf(VmException.NoRoom.class);
            assertThat(files.resolve("pooled")).exists();
        }
        try (LockFile mine = admit(one)) {
            assertThat(mine).isNotNull();
            assertThat(guard.waitFor()).isZero();
            assertThat(files).doesNotExist();
        }
    }

    @Test
    void anEntryThatIsHandedOutIsCountedByItsNewLabels() {
        VmLimits.Bound oneSandbox = new VmLimits.Bound(
                OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(1), OptionalLong.empty());
        VmLimits room = AdmittedProcess.room(3);
        VmLimits labelled = new VmLimits(
                room.memory(),
                room.memoryFloor(),
                room.pressure(),
                room.diskFloor(),
                room.stateDisk(),
                room.total(),
                Map.of("team=a", oneSandbox),
                room.clones(),
                room.underPressure());
        VmAdmissions admissions = AdmittedProcess.admissions(layout, () -> labelled);
        VmAdmission team = new VmAdmission(Set.of("team=a"), NOT);
        VmId first = VmId.random();
        VmId second = VmId.random();
        PoolSlot slot = new PoolSlot("p", Duration.ofMinutes(9));
        try (LockFile _ = admissions.make(AdmittedProcess.spec(first, NOT), slot);
                LockFile _ = admissions.make(AdmittedProcess.spec(second, NOT), slot)) {
            admissions.admit(first, team);
            VmClaim claim = new VmClaims(layout).of(first);
            assertThat(claim.labels()).containsExactly("team=a");
            assertThat(claim.pooled()).isFalse();

            assertThatThrownBy(() -> admissions.admit(second, team))
                    .isInstanceOf(VmException.NoRoom.class)
                    .hasMessageContaining("team=a");
            assertThat(new VmClaims(layout).of(second).pooled()).isTrue();
        }
    }

    @Test
    void noPoolIsFilledWhileAProcessWaits() throws Exception {
        VmAdmissions two = AdmittedProcess.admissions(layout, () -> AdmittedProcess.room(2));
        Process waiter;
        try (LockFile _ = admit(one)) {
            waiter = begin(
                    root(),
                    "none",
                    "1",
                    "wait",
                    "first",
                    directory.resolve("order").toString());
            await().until(() -> tickets() == 1);
            assertThatThrownBy(() -> two.make(
                            AdmittedProcess.spec(VmId.random(), NOT), new PoolSlot("p", Duration.ofMinutes(1))))
                    .isInstanceOfSatisfying(
                            VmException.NoRoom.class,
                            refused -> assertThat(refused.bound()).isEqualTo("wait-for-room"));
        }
        assertThat(waiter.waitFor()).isZero();
    }

    @Test
    void saysWhatIsClaimed() {
        try (LockFile _ = admit(one)) {
            VmClaim claim = VmClaims.of(AdmittedProcess.spec(VmId.random(), NOT), Accelerator.TCG, false);
            long mib = claim.memoryMiB() + claim.overheadMiB();
            assertThat(one.balance()).startsWith("1 VM claims " + mib + " of " + mib + " MiB of memory");
        }
    }

    @Test
    void twoThatWantTheSameIdAreToldApart() throws IOException {
        VmAdmissions two = AdmittedProcess.admissions(layout, () -> AdmittedProcess.room(2));
        VmId id = VmId.random();
        try (LockFile _ = two.make(AdmittedProcess.spec(id, NOT))) {
            assertThatThrownBy(() -> two.make(AdmittedProcess.spec(id, NOT))).isInstanceOf(VmException.Exists.class);
        }
        new VmRemoval(layout).remove(id);
        assertThat(layout.directory(id)).doesNotExist();
    }
}
