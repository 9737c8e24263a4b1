package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.vm.VmId;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From catalogs as released versions left them. */
class MigrationTest {
    private static final CatalogSchema V1 = new CatalogSchema(
            "sandbox",
            SandboxStore.SCHEMA.location(),
            SandboxStore.SCHEMA.migrations().subList(0, 1));

    @TempDir
    Path root;

    @BeforeEach
    void aCatalogOfVersion1() {
        try (Catalog catalog = Catalog.open(root, List.of(V1))) {
            catalog.write(transaction -> {
                sandbox(transaction, 3, "ended", "CRASHED");
                sandbox(transaction, 7, "alive", "RUNNING");
                // The newest is gone, and its id must not come back.
                sandbox(transaction, 9, "gone", "STOPPED");
                transaction.update("DELETE FROM sandbox WHERE id = 9");
                transaction.update("""
                        INSERT INTO run (id, sandbox_id, vm_id, detached, owner_pid, owner_start_time, owner_boot_id, status,
                               reason, exit_signal, detail, started_at, terminated_at)
                        VALUES (4, 3, 'vm-ended', 0, 11, 12, 'boot', 'TERMINATED', 'SIGNAL', 11, 'It died.', 20, 30)
                        """);
                return transaction.update("""
                        INSERT INTO run (id, sandbox_id, vm_id, detached, owner_pid, owner_start_time, owner_boot_id, status,
                               started_at)
                        VALUES (8, 7, 'vm-alive', 1, 11, 12, 'boot', 'RUNNING', 40)
                        """);
            });
        }
    }

    private static void sandbox(CatalogTransaction transaction, long id, String name, String status)
            throws SQLException {
        transaction.update("""
                INSERT INTO sandbox (id, name, image, command, status, ephemeral, memory_mib, cpus, created_at, updated_at)
                VALUES (?, ?, 'debian', 'sleep 1', ?, 0, 300, 2, 10, 15)
                """, id, name, status);
    }

    @Test
    void keepsEverySandboxWithItsRuns() {
        try (Catalog catalog = Catalog.open(root, List.of(SandboxStore.SCHEMA))) {
            SandboxStore store = new SandboxStore(catalog, Clock.systemUTC(), () -> {});

            SandboxRecord alive = store.byName("alive").orElseThrow();
            assertThat(alive.id()).isEqualTo(7);
            assertThat(alive.directory()).isEqualTo("alive-7");
            assertThat(alive.status()).isEqualTo(SandboxStatus.RUNNING);
            assertThat(alive.memoryMib()).isEqualTo(300);
            assertThat(alive.diskMib()).isEmpty();
            assertThat(alive.policies()).isEqualTo(SandboxPolicies.none());
            assertThat(alive.createdAt()).isEqualTo(Instant.ofEpochMilli(10));
            RunRecord run = alive.latestRun().orElseThrow();
            assertThat(run.id()).isEqualTo(8);
            assertThat(run.vm()).isEqualTo(new VmId("vm-alive"));
            assertThat(run.owner()).isEqualTo(new ProcessIdentity(11, 12, "boot"));
            assertThat(run.detached()).isTrue();
            assertThat(run.status()).isEqualTo(RunStatus.RUNNING);

            SandboxRecord ended = store.byName("ended").orElseThrow();
            Termination termination =
                    ended.latestRun().flatMap(RunRecord::termination).orElseThrow();
            assertThat(termination)
                    .isEqualTo(new Termination(
                            TerminationReason.SIGNAL, false, OptionalInt.empty(), OptionalInt.of(11), "It died."));
            assertThat(store.list(SandboxFilter.all()))
                    .extracting(SandboxRecord::name)
                    .containsExactly("alive", "ended");
        }
    }

    @Test
    void goesOnCountingIds() {
        try (Catalog catalog = Catalog.open(root, List.of(SandboxStore.SCHEMA))) {
            SandboxStore store = new SandboxStore(catalog, Clock.systemUTC(), () -> {});
            MainCommand main = new MainCommand(List.of(), CommandOptions.none());
            assertThat(store.insert(
                            new SandboxStore.NewSandbox(
                                    "new", SandboxSpec.of("base").withName("new"), main),
                            Optional.empty(),
                            directory -> {}))
                    .contains(10L);
        }
    }

    @Test
    void leavesNoReferenceDangling() {
        try (Catalog catalog = Catalog.open(root, List.of(SandboxStore.SCHEMA))) {
            assertThat(catalog.<List<String>, RuntimeException>read(
                            transaction -> transaction.list(row -> row.getString(1), "PRAGMA foreign_key_check")))
                    .isEmpty();
            SandboxStore store = new SandboxStore(catalog, Clock.systemUTC(), () -> {});
            assertThat(store.doom(3)).isTrue();
            assertThat(store.deleteEnded(3)).isTrue();
            assertThat(catalog.<List<Long>, RuntimeException>read(
                            transaction -> transaction.list(row -> row.getLong(1), "SELECT id FROM run")))
                    .containsExactly(8L);
        }
    }

    @Test
    void doesNotKnowTheMainCommandsOfBefore() {
        try (Catalog catalog = Catalog.open(root, List.of(SandboxStore.SCHEMA))) {
            assertThat(new SandboxStore(catalog, Clock.systemUTC(), () -> {}).mainCommand(3))
                    .isEmpty();
        }
    }
}
