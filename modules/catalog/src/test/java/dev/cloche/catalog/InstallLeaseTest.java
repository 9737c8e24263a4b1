package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.TestClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallLeaseTest {
    private static final List<CatalogSchema> OLD = List.of(Catalog.leases(), CatalogTest.NOTES_1);
    private static final List<CatalogSchema> NEW = List.of(Catalog.leases(), CatalogTest.NOTES_2);

    @TempDir
    Path root;

    private final TestClock clock = new TestClock();
    private final Set<String> dead = new HashSet<>();
    private final InstallGate gate = InstallGate.of(clock, holder -> !dead.contains(holder));
    private Catalog catalog;
    private InstallLease lease;

    @BeforeEach
    void open() {
        catalog = Catalog.open(root, OLD, gate);
        lease = new InstallLease(catalog, gate);
    }

    @AfterEach
    void close() {
        catalog.close();
    }

    @Test
    void whileItIsHeldNoOtherProcessGetsIt() {
        LeaseHandle mine = lease.acquire("a");
        assertThat(mine.expiresAt()).isEqualTo(clock.instant().plus(Duration.ofMinutes(30)));
        assertThatThrownBy(() -> lease.acquire("b"))
                .isInstanceOfSatisfying(
                        CatalogException.InstallInProgress.class,
                        refused -> assertThat(refused.until()).isEqualTo(mine.expiresAt()))
                .hasMessageStartingWith("An install operation is in progress until 2026-01-01T12:30:00Z.");
        lease.clear(mine);
        lease.acquire("b");
    }

    @Test
    void itsHolderDoesNotGetItTwice() {
        lease.acquire("a");
        assertThatThrownBy(() -> lease.acquire("a")).isInstanceOf(CatalogException.InstallInProgress.class);
    }

    @Test
    void whileItIsHeldNoOtherProcessOpensTheCatalogOrPasses() {
        LeaseHandle mine = lease.acquire("a");
        assertThatThrownBy(() -> Catalog.open(root, OLD, gate)).isInstanceOf(CatalogException.InstallInProgress.class);
        assertThatThrownBy(() -> Catalog.open(root, NEW, gate)).isInstanceOf(CatalogException.InstallInProgress.class);
        assertThatThrownBy(() -> pass(gate)).isInstanceOf(CatalogException.InstallInProgress.class);
        pass(presenting(mine));
        Catalog.open(root, NEW, presenting(mine)).close();
        lease.clear(mine);
        pass(gate);
        Catalog.open(root, NEW, gate).close();
    }

    @Test
    void aHandleIsGoodUntilItIsRenewedOrCleared() {
        LeaseHandle first = lease.acquire("a");
        LeaseHandle second = lease.renew(first);
        assertThat(second.expiresAt()).isNotEqualTo(first.expiresAt());
        assertThatThrownBy(() -> lease.renew(first)).isInstanceOf(CatalogException.LeaseLost.class);
        assertThatThrownBy(() -> lease.clear(first))
                .isInstanceOf(CatalogException.LeaseLost.class)
                .hasMessageContaining("no longer held");
        assertThatThrownBy(() -> pass(presenting(first))).isInstanceOf(CatalogException.InstallInProgress.class);
        lease.clear(second);
        assertThatThrownBy(() -> lease.clear(second)).isInstanceOf(CatalogException.LeaseLost.class);
        assertThatThrownBy(() -> lease.renew(second)).isInstanceOf(CatalogException.LeaseLost.class);
    }

    @Test
    void takingAndRenewingForgetTheLastCompletionAndClearingRecordsOne() {
        lease.clear(lease.acquire("a"));
        assertThat(row().completedAt()).isEqualTo(clock.millis());
        assertThat(row().expiresAt()).isEqualTo(clock.millis());
        LeaseHandle again = lease.acquire("a");
        assertThat(row().completedAt()).isZero();
        lease.renew(again);
        assertThat(row().completedAt()).isZero();
    }

    @Test
    void itExpires() {
        LeaseHandle late = lease.acquire("a");
        clock.forward(InstallLease.LENGTH);
        pass(gate);
        lease.acquire("b");
        assertThatThrownBy(() -> lease.clear(late)).isInstanceOf(CatalogException.LeaseLost.class);
    }

    @Test
    void aDeadHoldersIsVoidAtOnce() {
        LeaseHandle lost = lease.acquire("a");
        dead.add("a");
        pass(gate);
        Catalog.open(root, OLD, gate).close();
        LeaseHandle mine = lease.acquire("b");
        assertThatThrownBy(() -> lease.renew(lost)).isInstanceOf(CatalogException.LeaseLost.class);
        lease.clear(mine);
    }

    @Test
    void aClockThatWasSetBackDoesNotMakeItLonger() {
        lease.acquire("a");
        clock.back(Duration.ofHours(1));
        pass(gate);
        lease.acquire("b");
    }

    @Test
    void aCatalogWithoutLeasesLetsEverybodyPass(@TempDir Path other) {
        try (Catalog without = Catalog.open(other, List.of(CatalogTest.NOTES_1), gate)) {
            without.read(transaction -> {
                gate.refuseIfHeld(transaction);
                return true;
            });
        }
        Catalog.open(other, NEW, gate).close();
    }

    @Test
    void aMigrationOfItsOwnKeepsOthersOutAndGivesTheLeaseBack() {
        assertThat(CatalogMaintenance.migrate(root, NEW, "migrator", gate))
                .extracting(DueMigration::room)
                .containsExactly("notes");
        assertThat(row().completedAt()).isEqualTo(clock.millis());
        assertThat(CatalogMaintenance.migrate(root, NEW, "migrator", gate)).isEmpty();
        Catalog.open(root, NEW, gate).close();
    }

    @Test
    void itIsRenewedWhileTheWorkOfAnHourGoesOn() {
        try (HeldInstallLease _ = HeldInstallLease.take(lease, "migrator", Duration.ofMillis(1))) {
            for (int i = 0; i < 3; i++) {
                clock.forward(Duration.ofMinutes(20));
                long untilNow = clock.millis() + InstallLease.LENGTH.toMillis();
                await().until(() -> row().expiresAt() >= untilNow - 1);
            }
            assertThatThrownBy(() -> pass(gate)).isInstanceOf(CatalogException.InstallInProgress.class);
            assertThatThrownBy(() -> Catalog.open(root, NEW, gate))
                    .isInstanceOf(CatalogException.InstallInProgress.class);
            pass(gate.presentingThatOf("migrator"));
        }
        pass(gate);
        lease.acquire("b");
    }

    @Test
    void aMigrationIsRefusedWhileAnotherCommandHasTheLease() {
        lease.acquire("a");
        assertThatThrownBy(() -> CatalogMaintenance.migrate(root, NEW, "migrator", gate))
                .isInstanceOf(CatalogException.InstallInProgress.class);
        assertThat(CatalogMaintenance.due(root, NEW)).hasSize(1);
    }

    @Test
    void aCatalogThatKnowsNoLeasesIsMigratedAllTheSame(@TempDir Path other) {
        Catalog.open(other, List.of(CatalogTest.NOTES_1)).close();
        assertThat(CatalogMaintenance.migrate(other, NEW, "migrator", gate)).hasSize(2);
        assertThat(CatalogMaintenance.due(other, NEW)).isEmpty();
    }

    private InstallGate presenting(LeaseHandle handle) {
        return new InstallGate(clock, gate.holderAlive(), handle::equals);
    }

    private void pass(InstallGate asking) {
        catalog.read(transaction -> {
            asking.refuseIfHeld(transaction);
            return true;
        });
    }

    private LeaseTable.Row row() {
        return catalog.read(transaction -> LeaseTable.read(transaction, InstallLease.NAME));
    }
}
