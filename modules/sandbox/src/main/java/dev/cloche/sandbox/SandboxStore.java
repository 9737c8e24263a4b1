package dev.cloche.sandbox;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.Session;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.VmId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The rows of sandboxes and runs, and all SQL of this room. Every change of a status names the statuses that it may
 * change from, so that of several runtimes that race exactly one succeeds.
 */
final class SandboxStore {
    static final CatalogSchema SCHEMA = new CatalogSchema(
            "sandbox",
            "dev/cloche/sandbox/migrations",
            List.of(CatalogSchema.Migration.additive("sandboxes and their runs")));

    private static final String SELECT = """
            SELECT s.id, s.name, s.image, s.command, s.status, s.ephemeral, s.memory_mib, s.cpus, s.created_at,
                   r.id AS run_id, r.vm_id, r.detached, r.owner_pid, r.owner_start_time, r.owner_boot_id,
                   r.status AS run_status, r.reason, r.exit_code, r.exit_signal, r.detail, r.started_at
            FROM sandbox s
            LEFT JOIN run r ON r.id = (SELECT max(id) FROM run WHERE sandbox_id = s.id)
            """;

    private final Catalog catalog;
    private final Clock clock;

    SandboxStore(Catalog catalog, Clock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /** What a new sandbox is recorded with, in one transaction with its first run. */
    record NewSandbox(
            String name, SandboxSpec spec, String command, VmId vm, boolean detached, ProcessIdentity owner) {}

    /** Records a sandbox that starts; empty if its name is taken. */
    Optional<Long> insertStarting(NewSandbox sandbox) {
        long now = clock.millis();
        SandboxSpec spec = sandbox.spec();
        return catalog.write(session -> {
            Optional<Long> id = session.first(
                    row -> row.getLong(1),
                    """
                    INSERT INTO sandbox (name, image, command, status, ephemeral, memory_mib, cpus, created_at, updated_at)
                    VALUES (?, ?, ?, 'STARTING', ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO NOTHING RETURNING id
                    """,
                    sandbox.name(),
                    spec.image(),
                    sandbox.command(),
                    flag(spec.ephemeral()),
                    spec.memoryMib(),
                    spec.cpus(),
                    now,
                    now);
            if (id.isPresent()) {
                insertRun(session, id.get(), sandbox, now);
            }
            return id;
        });
    }

    private static void insertRun(Session session, long id, NewSandbox sandbox, long now) throws SQLException {
        session.update(
                """
                INSERT INTO run (sandbox_id, vm_id, detached, owner_pid, owner_start_time, owner_boot_id, status, started_at)
                VALUES (?, ?, ?, ?, ?, ?, 'RUNNING', ?)
                """,
                id,
                sandbox.vm().value(),
                flag(sandbox.detached()),
                sandbox.owner().pid(),
                sandbox.owner().startTime(),
                sandbox.owner().bootId(),
                now);
    }

    /** Moves a sandbox along the table of transitions; false if it is not in {@code from} any more. */
    boolean move(long id, SandboxStatus from, SandboxStatus to) {
        if (!from.successors().contains(to)) {
            throw new IllegalArgumentException("no transition from " + from + " to " + to);
        }
        return catalog.write(session -> session.update(
                        "UPDATE sandbox SET status = ?, updated_at = ? WHERE id = ? AND status = ?",
                        to.name(),
                        clock.millis(),
                        id,
                        from.name())
                == 1);
    }

    /** Records that a sandbox's run outlives the process that started it; false if it has ended. */
    boolean detach(long id) {
        return catalog.write(session ->
                session.update("UPDATE run SET detached = 1 WHERE sandbox_id = ? AND status = 'RUNNING'", id) == 1);
    }

    /** Records the end of a sandbox's run; false if somebody else has done so. */
    boolean end(long id, Ending ending) {
        long now = clock.millis();
        return catalog.write(session -> {
            int ended = session.update(
                    """
                    UPDATE run SET status = 'TERMINATED', reason = ?, exit_code = ?, exit_signal = ?, detail = ?,
                           terminated_at = ?
                    WHERE sandbox_id = ? AND status = 'RUNNING'
                    """,
                    ending.reason().name(),
                    boxed(ending.exitCode()),
                    boxed(ending.exitSignal()),
                    ending.detail(),
                    now,
                    id);
            session.update("""
                    UPDATE sandbox SET status = ?, updated_at = ?
                    WHERE id = ? AND status IN ('STARTING', 'RUNNING', 'DRAINING')
                    """, ending.reason().status().name(), now, id);
            return ended > 0;
        });
    }

    /** Removes the row of a sandbox that does not run; false if it is gone or runs. */
    boolean deleteEnded(long id) {
        return catalog.write(session ->
                session.update("DELETE FROM sandbox WHERE id = ? AND status IN ('CREATED', 'STOPPED', 'CRASHED')", id)
                        == 1);
    }

    Optional<SandboxRecord> byName(String name) {
        return catalog.read(session -> session.first(SandboxStore::read, SELECT + "WHERE s.name = ?", name));
    }

    Optional<SandboxRecord> byId(long id) {
        return catalog.read(session -> session.first(SandboxStore::read, SELECT + "WHERE s.id = ?", id));
    }

    /** All sandboxes, the newest first. */
    List<SandboxRecord> all() {
        return catalog.read(session -> session.list(SandboxStore::read, SELECT + "ORDER BY s.id DESC"));
    }

    private static SandboxRecord read(ResultSet row) throws SQLException {
        return new SandboxRecord(
                row.getLong("id"),
                row.getString("name"),
                row.getString("image"),
                row.getString("command"),
                SandboxStatus.valueOf(row.getString("status")),
                row.getInt("ephemeral") == 1,
                row.getInt("memory_mib"),
                row.getInt("cpus"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                row.getString("vm_id") == null ? Optional.empty() : Optional.of(readRun(row)));
    }

    private static RunRecord readRun(ResultSet row) throws SQLException {
        boolean terminated = row.getString("run_status").equals("TERMINATED");
        return new RunRecord(
                row.getLong("run_id"),
                new VmId(row.getString("vm_id")),
                row.getInt("detached") == 1,
                new ProcessIdentity(
                        row.getLong("owner_pid"), row.getLong("owner_start_time"), row.getString("owner_boot_id")),
                Instant.ofEpochMilli(row.getLong("started_at")),
                terminated ? Optional.of(readEnding(row)) : Optional.empty());
    }

    private static Ending readEnding(ResultSet row) throws SQLException {
        return new Ending(
                TerminationReason.valueOf(row.getString("reason")),
                readNumber(row, "exit_code"),
                readNumber(row, "exit_signal"),
                row.getString("detail"));
    }

    private static OptionalInt readNumber(ResultSet row, String column) throws SQLException {
        int value = row.getInt(column);
        return row.wasNull() ? OptionalInt.empty() : OptionalInt.of(value);
    }

    private static Optional<Integer> boxed(OptionalInt value) {
        return value.isPresent() ? Optional.of(value.getAsInt()) : Optional.empty();
    }

    private static int flag(boolean value) {
        return value ? 1 : 0;
    }
}
