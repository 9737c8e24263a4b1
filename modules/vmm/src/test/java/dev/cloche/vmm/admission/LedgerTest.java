package dev.cloche.vmm.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmLimits.Amount;
import dev.cloche.vm.VmLimits.Bound;
import dev.cloche.vm.VmLimits.Clones;
import dev.cloche.vm.VmLimits.UnderPressure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ledger with real locks and tickets, whose holders are entries of a list. */
class LedgerTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Pattern TICKET = Pattern.compile("[0-9]{19}");

    @TempDir
    Path root;

    private final List<Holder> held = new CopyOnWriteArrayList<>();
    private volatile VmLimits limits = memory(100);
    private final AtomicInteger measured = new AtomicInteger();
    private int made;

    private final ClaimHolders holders = new ClaimHolders() {
        @Override
        public List<Holder> atMost() {
            return held.stream()
                    .map(holder -> new Holder(
                            holder.id(), holder.claim(), holder.claim().wholeMiB(), holder.shelved(), Optional.empty()))
                    .toList();
        }

        @Override
        public List<Holder> find() {
            measured.incrementAndGet();
            return List.copyOf(held);
        }

        @Override
        public boolean retire(VmId entry, Deadline deadline) {
            return held.removeIf(holder -> holder.id().equals(entry));
        }
    };

    private static VmLimits memory(long mib) {
        return memory(new Amount.Size(mib));
    }

    private static VmLimits memory(Amount most) {
        return new VmLimits(
                most,
                new Amount.None(),
                OptionalInt.empty(),
                new Amount.None(),
                new Amount.None(),
                Bound.NONE,
                Map.of(),
                Clones.FULL,
                UnderPressure.RETIRE_POOLS);
    }

    private Ledger ledger() {
        return new Ledger(root, holders, () -> limits, HostRoomReader.of(root));
    }

    private static VmClaim claim(long mib) {
        return new VmClaim(mib, 0, false, 1, 0, Set.of(), false);
    }

    private synchronized VmId next() {
        made++;
        return new VmId("vm" + made);
    }

    private VmId admit(VmClaim wanted, Duration patience) throws IOException {
        VmId id = next();
        return ledger().admit(wanted, patience, () -> {
            held.add(new Holder(id, wanted, 0, Optional.empty(), Optional.empty()));
            return id;
        });
    }

    private CompletableFuture<VmId> waiting(VmClaim wanted, int tickets) {
        CompletableFuture<VmId> answer = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(admit(wanted, LONG));
            } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        await().until(() -> tickets() == tickets);
        return answer;
    }

    @Test
    void whatClonesHaveOfTheirOwnIsMeasuredOnlyWhereThatDecides() throws IOException {
        limits = new VmLimits(
                new Amount.Size(300),
                new Amount.None(),
                OptionalInt.empty(),
                new Amount.None(),
                new Amount.None(),
                Bound.NONE,
                Map.of(),
                Clones.EXPECTED,
                UnderPressure.RETIRE_POOLS);
        VmClaim clone = new VmClaim(100, 0, true, 1, 0, Set.of(), false);
        for (int i = 0; i < 3; i++) {
            var _ = admit(clone, Duration.ZERO);
        }
        assertThat(measured).hasValue(0);
        // At the most 300 MiB are claimed, and 192 as measured.
        var _ = admit(clone, Duration.ZERO);
        assertThat(measured).hasValue(1);
        assertThatThrownBy(() -> admit(clone, Duration.ZERO)).isInstanceOf(VmException.NoRoom.class);
    }

    @Test
    void whatTakesOfTheDiskIsRefusedBelowItsFloor() {
        ledger().requireDiskRoom();
        limits = new VmLimits(
                new Amount.None(),
                new Amount.None(),
                OptionalInt.empty(),
                new Amount.Size(1L << 40),
                new Amount.None(),
                Bound.NONE,
                Map.of(),
                Clones.FULL,
                UnderPressure.RETIRE_POOLS);
        assertThatThrownBy(() -> ledger().requireDiskRoom())
                .isInstanceOfSatisfying(
                        VmException.NoRoom.class,
                        refused -> assertThat(refused.bound()).isEqualTo("disk-floor"))
                .hasMessageContaining("There is too little space on the disk: of the ");
        limits = VmLimits.off();
        ledger().requireDiskRoom();
    }

    private static VmLimits disk(Amount floor, Amount stateDisk) {
        return new VmLimits(
                new Amount.None(),
                new Amount.None(),
                OptionalInt.empty(),
                floor,
                stateDisk,
                Bound.NONE,
                Map.of(),
                Clones.FULL,
                UnderPressure.RETIRE_POOLS);
    }

    @Test
    void aStateRootThatTakesTooMuchOfItsDiskIsRefusedOnceThatIsCounted() throws IOException {
        Path file = Files.write(root.resolve("file"), new byte[3 << 20]);
        limits = disk(new Amount.None(), new Amount.Size(2));
        VmId held = admit(claim(70), Duration.ZERO);
        ledger().requireDiskRoom();

        ledger().countStateDisk(Deadline.none());
        assertThatThrownBy(() -> admit(claim(1), Duration.ZERO))
                .isInstanceOfSatisfying(VmException.NoRoom.class, refused -> {
                    assertThat(refused.bound()).isEqualTo("state-disk");
                    assertThat(refused.needed()).isEqualTo(3);
                    assertThat(refused.free()).isZero();
                    assertThat(refused.holders()).isEmpty();
                    assertThat(refused.sentence())
                            .isEqualTo("There is no room for a VM: by the last count the state root"
                                    + " takes 3 MiB of its disk, and 2 MiB are allowed");
                    assertThat(refused.remedy())
                            .contains("diskUsage()", "prune(…)", "cloche.maintain()", "raise state-disk in [limits]");
                });
        assertThatThrownBy(() -> ledger().requireDiskRoom())
                .isInstanceOf(VmException.NoRoom.class)
                .hasMessageContaining(
                        "There is too little space on the disk: by the last count the state root takes 3");
        assertThat(exchange(held, claim(70))).isFalse();
        // Never is said only of what does not fit on an empty host.
        ledger().requirePossible(claim(1));

        Files.delete(file);
        assertThatThrownBy(() -> ledger().requireDiskRoom()).isInstanceOf(VmException.NoRoom.class);
        ledger().countStateDisk(Deadline.none());
        ledger().requireDiskRoom();
        assertThat(admit(claim(1), Duration.ZERO)).isNotNull();
    }

    @Test
    void whatTheStateRootTakesIsNeitherCountedNorLookedAtWithoutALimit() throws IOException {
        Files.write(root.resolve("file"), new byte[3 << 20]);
        for (VmLimits unbounded : List.of(disk(new Amount.Size(1), new Amount.None()), VmLimits.off())) {
            limits = unbounded;
            ledger().countStateDisk(Deadline.none());
            assertThat(root.resolve("disk-use")).doesNotExist();
        }
        limits = disk(new Amount.None(), new Amount.Size(2));
        ledger().countStateDisk(Deadline.none());
        assertThat(ledger().balance().host().stateRootMiB()).hasValue(3);
        limits = disk(new Amount.Size(1), new Amount.None());
        assertThat(ledger().balance().host().stateRootMiB()).isEmpty();
        ledger().requireDiskRoom();
        assertThat(admit(claim(1), Duration.ZERO)).isNotNull();
    }

    @Test
    void onesThatWaitStartOnceTheCountIsBelowTheLimit() throws Exception {
        Path file = Files.write(root.resolve("file"), new byte[3 << 20]);
        limits = disk(new Amount.None(), new Amount.Size(2));
        ledger().countStateDisk(Deadline.none());
        CompletableFuture<VmId> waits = waiting(claim(1), 1);
        Files.delete(file);
        ledger().countStateDisk(Deadline.none());
        assertThat(waits.get()).isNotNull();
    }

    @Test
    void aRefusalForTheFloorOfTheDiskNamesNoVms() throws IOException {
        var _ = admit(claim(70), Duration.ZERO);
        // So that not all is free of it.
        Files.write(root.resolve("file"), new byte[3 << 20]);
        limits = disk(new Amount.Size(root.toFile().getTotalSpace() >> 20), new Amount.None());
        assertThatThrownBy(() -> admit(claim(1), Duration.ZERO))
                .isInstanceOfSatisfying(VmException.NoRoom.class, refused -> {
                    assertThat(refused.bound()).isEqualTo("disk-floor");
                    assertThat(refused.holders()).isEmpty();
                    assertThat(refused.sentence()).doesNotContain("held by").endsWith(" MiB are");
                });
    }

    @Test
    void memoryThatIsShortConcernsPoolsUnlessNothingIsToBeDone() {
        assertThat(ledger().memoryShortage()).isEmpty();
        limits = floor(UnderPressure.RETIRE_POOLS);
        assertThat(ledger().memoryShortage().orElseThrow())
                .isEqualTo("this host has 0 MiB to give, beside 1,099,511,627,776 MiB that are to be left");
        limits = floor(UnderPressure.NOTHING);
        assertThat(ledger().memoryShortage()).isEmpty();
        limits = VmLimits.off();
        assertThat(ledger().memoryShortage()).isEmpty();
    }

    private static VmLimits floor(UnderPressure underPressure) {
        return new VmLimits(
                new Amount.None(),
                new Amount.Size(1L << 40),
                OptionalInt.empty(),
                new Amount.None(),
                new Amount.None(),
                Bound.NONE,
                Map.of(),
                Clones.FULL,
                underPressure);
    }

    /** Without the file of the next number, which is there before its ticket is. */
    private long tickets() throws IOException {
        if (!Files.isDirectory(root.resolve("admission"))) {
            return 0;
        }
        try (Stream<Path> files = Files.list(root.resolve("admission"))) {
            return files.filter(file ->
                            TICKET.matcher(file.getFileName().toString()).matches())
                    .count();
        }
    }

    private void end(VmId id) {
        held.removeIf(holder -> holder.id().equals(id));
    }

    @Test
    void refusesWithWhatIsNeededWhatIsFreeAndWhoHasTheRest() throws IOException {
        VmId small = admit(claim(20), Duration.ZERO);
        VmId large = admit(claim(70), Duration.ZERO);

        assertThatThrownBy(() -> admit(claim(11), Duration.ZERO))
                .isInstanceOfSatisfying(VmException.NoRoom.class, refused -> {
                    assertThat(refused.code()).isEqualTo("limits.no-room");
                    assertThat(refused.bound()).isEqualTo("memory");
                    assertThat(refused.needed()).isEqualTo(11);
                    assertThat(refused.free()).isEqualTo(10);
                    assertThat(refused.holders()).containsExactly(large, small);
                    assertThat(refused.sentence())
                            .isEqualTo(
                                    "There is no room for a VM of 11 MiB of memory: of the 100 MiB of all VMs, 10 MiB"
                                            + " are free; held by VM " + large + " (70 MiB), VM " + small
                                            + " (20 MiB)");
                    assertThat(refused.remedy()).contains("waitForRoom", "memory in [limits] of config.toml");
                });
        assertThat(tickets()).isZero();
        assertThat(held).hasSize(2);
    }

    @Test
    void whatNeverFitsIsRefusedAtOnce() {
        assertThatThrownBy(() -> admit(claim(101), LONG))
                .isInstanceOf(VmException.NoRoom.class)
                .hasMessageContaining("never has room: the limit is 100 MiB of all VMs");
        assertThatThrownBy(() -> ledger().requirePossible(claim(101))).isInstanceOf(VmException.NoRoom.class);
        ledger().requirePossible(claim(100));
    }

    @Test
    void thoseThatWaitGetRoomInTheirOrder() throws Exception {
        VmId first = admit(claim(100), Duration.ZERO);
        CompletableFuture<VmId> large = waiting(claim(80), 1);
        CompletableFuture<VmId> small = waiting(claim(30), 2);
        // There is room for it, and it belongs to those that wait.
        end(first);
        VmId second = large.get();
        assertThat(small).isNotDone();
        assertThatThrownBy(() -> admit(claim(20), Duration.ZERO)).isInstanceOf(VmException.NoRoom.class);
        end(second);
        assertThat(small.get()).isNotNull();
        assertThat(tickets()).isZero();
    }

    @Test
    void whatFitsBesideAllThatWaitDoesNotWait() throws Exception {
        Bound ten = new Bound(OptionalLong.of(10), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
        limits = new VmLimits(
                new Amount.Size(100),
                new Amount.None(),
                OptionalInt.empty(),
                new Amount.None(),
                new Amount.None(),
                Bound.NONE,
                Map.of("team=a", ten),
                Clones.FULL,
                UnderPressure.RETIRE_POOLS);
        VmClaim ofTheTeam = new VmClaim(10, 0, false, 1, 0, Set.of("team=a"), false);
        VmId first = admit(ofTheTeam, Duration.ZERO);
        CompletableFuture<VmId> second = waiting(ofTheTeam, 1);

        assertThat(admit(claim(80), Duration.ZERO)).isNotNull();
        assertThatThrownBy(() -> admit(claim(1), Duration.ZERO)).isInstanceOf(VmException.NoRoom.class);
        end(first);
        assertThat(second.get()).isNotNull();
    }

    @Test
    void aWaitEndsWithItsPatienceAndLeavesNoTicket() throws IOException {
        var _ = admit(claim(100), Duration.ZERO);
        assertThatThrownBy(() -> admit(claim(1), Duration.ofMillis(20))).isInstanceOf(VmException.NoRoom.class);
        assertThat(tickets()).isZero();
    }

    @Test
    void anInterruptedWaitLeavesNoTicket() throws Exception {
        var _ = admit(claim(100), Duration.ZERO);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread waiter = Thread.ofVirtual().start(() -> {
            try {
                var _ = admit(claim(1), LONG);
            } catch (IOException | RuntimeException e) {
                thrown.complete(e);
            }
        });
        await().until(() -> tickets() == 1);
        waiter.interrupt();
        assertThat(thrown.get()).isInstanceOf(VmException.Interrupted.class);
        assertThat(tickets()).isZero();
    }

    @Test
    void aTicketThatNoProcessHoldsIsNoPlace() throws IOException {
        Files.createDirectories(root.resolve("admission"));
        Files.writeString(root.resolve("admission/0000000000000000007"), "{}");
        Files.writeString(root.resolve("admission/notes.txt"), "mine");
        assertThat(admit(claim(100), Duration.ZERO)).isNotNull();
        assertThat(root.resolve("admission/0000000000000000007")).doesNotExist();
        assertThat(root.resolve("admission/notes.txt")).exists();
    }

    @Test
    void entriesOfPoolsYield() throws IOException {
        VmId old = next();
        VmClaim entry = new VmClaim(60, 0, false, 1, 0, Set.of(), true);
        held.add(new Holder(old, entry, 0, Optional.of(Duration.ofSeconds(9)), Optional.empty()));
        VmId made = admit(claim(100), Duration.ZERO);
        assertThat(held).extracting(Holder::id).containsExactly(made);
    }

    /** @return whether it was noted what the entry is from now on */
    private boolean exchange(VmId entry, VmClaim wanted) throws IOException {
        AtomicBoolean noted = new AtomicBoolean();
        ledger().exchange(entry, wanted, () -> {
            held.removeIf(holder -> holder.id().equals(entry));
            held.add(new Holder(entry, wanted, 0, Optional.empty(), Optional.empty()));
            noted.set(true);
        });
        return noted.get();
    }

    private VmId entry(long mib) {
        VmId entry = next();
        VmClaim claim = new VmClaim(mib, 0, false, 1, 0, Set.of(), true);
        held.add(new Holder(entry, claim, 0, Optional.of(Duration.ofSeconds(1)), Optional.empty()));
        return entry;
    }

    @Test
    void anEntryBecomesASandboxWhereItsMemoryCountsAlready() throws IOException {
        VmId entry = entry(100);
        // Nothing looks at it before it is claimed.
        assertThat(exchange(entry, claim(100))).isFalse();
        VmClaim labelled = new VmClaim(100, 0, false, 1, 0, Set.of("user=ann"), false);
        assertThat(exchange(entry, labelled)).isTrue();
        assertThat(held).singleElement().extracting(Holder::claim).isEqualTo(labelled);
    }

    @Test
    void whatTheHostHasIsReadAgainBeforeAnythingIsRefusedForGood() throws IOException {
        Path proc = Files.createDirectory(root.resolve("proc"));
        limits = memory(new Amount.Share(100, 0));
        Ledger ledger = new Ledger(root, holders, () -> limits, new HostRoomReader(proc, root.resolve("none"), root));
        Files.writeString(proc.resolve("meminfo"), "MemTotal: 102400 kB\nMemAvailable: 102400 kB\n");
        ledger.requirePossible(claim(100));
        assertThatThrownBy(() -> ledger.requirePossible(claim(101))).isInstanceOf(VmException.NoRoom.class);
        Files.writeString(proc.resolve("meminfo"), "MemTotal: 204800 kB\nMemAvailable: 102400 kB\n");
        ledger.requirePossible(claim(101));
    }

    @Test
    void anEntryDoesNotBecomeASandboxTooMany() throws IOException {
        Bound one = new Bound(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.of(1), OptionalLong.empty());
        limits = new VmLimits(
                new Amount.None(),
                new Amount.None(),
                OptionalInt.empty(),
                new Amount.None(),
                new Amount.None(),
                one,
                Map.of(),
                Clones.FULL,
                UnderPressure.RETIRE_POOLS);
        assertThat(exchange(entry(10), claim(10))).isTrue();
        VmId second = entry(10);
        assertThatThrownBy(() -> exchange(second, claim(10)))
                .isInstanceOfSatisfying(
                        VmException.NoRoom.class,
                        refused -> assertThat(refused.bound()).isEqualTo("sandboxes"));
        assertThat(held).filteredOn(holder -> holder.claim().pooled()).hasSize(1);
    }

    @Test
    void thoseThatWaitComeBeforeTheSandboxesOfAPool() throws Exception {
        VmId first = admit(claim(60), Duration.ZERO);
        VmId entry = entry(40);
        held.removeIf(holder -> holder.id().equals(entry));
        held.add(new Holder(
                entry, new VmClaim(40, 0, false, 1, 0, Set.of(), true), 0, Optional.empty(), Optional.empty()));
        CompletableFuture<VmId> waits = waiting(claim(50), 1);
        assertThatThrownBy(() -> exchange(entry, claim(40))).isInstanceOf(VmException.NoRoom.class);
        end(first);
        assertThat(waits.get()).isNotNull();
        assertThat(exchange(entry, claim(40))).isFalse();
    }

    @Test
    void aFailureOfTheMakerIsPassedOnAndFreesTheTurn() {
        assertThatThrownBy(() -> ledger().admit(claim(1), Duration.ZERO, () -> {
                    throw new IOException("the disk is full");
                }))
                .isInstanceOf(IOException.class);
        assertThat(held).isEmpty();
    }

    @Test
    void countsNothingWhereLimitsAreOff() throws IOException {
        limits = VmLimits.off();
        for (int i = 0; i < 3; i++) {
            assertThat(admit(claim(1000), Duration.ZERO)).isNotNull();
        }
        assertThat(root.resolve("admission.lock")).doesNotExist();
    }
}
