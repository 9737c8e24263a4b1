package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.RestartPolicy;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.RunStatus;
import dev.cloche.sandbox.SandboxFilter;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Reads the rows of sandboxes, each with its latest run. Lists and sweeps read these columns and no others. */
final class SandboxRows {
    private static final String SELECT = """
            SELECT s.id, s.name, s.directory, s.image, s.manifest, s.command, s.status, s.ephemeral, s.memory_mib, s.cpus,
                   s.disk_mib, s.max_duration, s.idle_timeout, s.start_timeout, s.restart, s.restart_limit, s.restarts,
                   s.kept_runs, s.isolation, s.on_deadline, s.disk_iops, s.disk_bps, s.created_at, s.updated_at,
                   r.id AS run_id, r.vm_id, r.detached, r.owner_pid, r.owner_start_time, r.owner_boot_id,
                   r.guard_pid, r.guard_start_time, r.guard_boot_id, r.status AS run_status, r.asked, r.reason,
                   r.exit_code, r.exit_signal, r.killed, r.detail, r.started_at, r.ready_at, r.terminated_at,
                   %s AS deadline
            FROM sandbox s
            LEFT JOIN run r ON r.id = (SELECT max(id) FROM run WHERE sandbox_id = s.id)
            """.formatted(DeadlineRows.VALID);

    private SandboxRows() {}

    static Optional<SandboxRecord> byName(CatalogTransaction transaction, String name) throws SQLException {
        return transaction.first(SandboxRows::sandbox, SELECT + "WHERE s.name = ?", name);
    }

    static Optional<SandboxRecord> byId(CatalogTransaction transaction, long id) throws SQLException {
        return transaction.first(SandboxRows::sandbox, SELECT + "WHERE s.id = ?", id);
    }

    /** Lists sandboxes, the newest first. */
    static List<SandboxRecord> list(CatalogTransaction transaction, SandboxFilter filter) throws SQLException {
        SandboxCondition condition = SandboxCondition.of(filter);
        return transaction.list(
                SandboxRows::sandbox,
                SELECT + condition.sql(),
                condition.parameters().toArray());
    }

    /** Returns those that run detached, and those that a restart policy may start again. */
    static List<SandboxRecord> unkept(CatalogTransaction transaction) throws SQLException {
        return transaction.list(SandboxRows::sandbox, SELECT + """
                WHERE (s.status IN ('STARTING', 'RUNNING', 'PAUSED', 'DRAINING') AND r.detached = 1)
                   OR (s.restart <> 'NO' AND s.status IN ('STOPPED', 'CRASHED') AND r.asked IS NULL)
                ORDER BY s.id
                """);
    }

    private static SandboxRecord sandbox(ResultSet row) throws SQLException {
        return new SandboxRecord(
                row.getLong("id"),
                row.getString("name"),
                row.getString("directory"),
                row.getString("image"),
                Optional.ofNullable(row.getString("manifest")),
                row.getString("command"),
                SandboxStatus.valueOf(row.getString("status")),
                row.getInt("ephemeral") == 1,
                row.getInt("memory_mib"),
                row.getInt("cpus"),
                number(row, "disk_mib"),
                policies(row),
                row.getInt("restarts"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                Instant.ofEpochMilli(row.getLong("updated_at")),
                row.getString("vm_id") == null ? Optional.empty() : Optional.of(run(row)));
    }

    private static SandboxPolicies policies(ResultSet row) throws SQLException {
        return new SandboxPolicies(
                duration(row, "max_duration"),
                duration(row, "idle_timeout"),
                Duration.ofMillis(row.getLong("start_timeout")),
                new RestartPolicy(RestartPolicy.Kind.valueOf(row.getString("restart")), number(row, "restart_limit")),
                row.getInt("kept_runs"),
                isolation(row),
                SandboxPolicies.OnDeadline.valueOf(row.getString("on_deadline")),
                throttle(row));
    }

    static Optional<Isolation> isolation(ResultSet row) throws SQLException {
        return Optional.ofNullable(row.getString("isolation")).map(Isolation::valueOf);
    }

    static WritableLayer.Throttle throttle(ResultSet row) throws SQLException {
        OptionalInt iops = number(row, "disk_iops");
        long bytes = row.getLong("disk_bps");
        return new WritableLayer.Throttle(iops, row.wasNull() ? OptionalLong.empty() : OptionalLong.of(bytes));
    }

    /** Returns a row with the columns of a run as {@link #SELECT} names them. */
    static RunRecord run(ResultSet row) throws SQLException {
        boolean terminated = row.getString("run_status").equals(RunStatus.TERMINATED.name());
        return new RunRecord(
                row.getLong("run_id"),
                new VmId(row.getString("vm_id")),
                row.getInt("detached") == 1,
                process(row, "owner"),
                row.getString("guard_boot_id") == null ? Optional.empty() : Optional.of(process(row, "guard")),
                Optional.ofNullable(row.getString("asked")).map(TerminationReason::valueOf),
                Instant.ofEpochMilli(row.getLong("started_at")),
                instant(row, "ready_at"),
                instant(row, "terminated_at"),
                duration(row, "deadline"),
                terminated ? Optional.of(termination(row)) : Optional.empty());
    }

    private static Termination termination(ResultSet row) throws SQLException {
        return new Termination(
                TerminationReason.valueOf(row.getString("reason")),
                row.getString("asked") != null,
                number(row, "exit_code"),
                number(row, "exit_signal"),
                row.getInt("killed") == 1,
                row.getString("detail"));
    }

    private static ProcessIdentity process(ResultSet row, String whose) throws SQLException {
        return new ProcessIdentity(
                row.getLong(whose + "_pid"), row.getLong(whose + "_start_time"), row.getString(whose + "_boot_id"));
    }

    static OptionalInt number(ResultSet row, String column) throws SQLException {
        int value = row.getInt(column);
        return row.wasNull() ? OptionalInt.empty() : OptionalInt.of(value);
    }

    private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(value));
    }

    static Optional<Duration> duration(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(value));
    }

    static Optional<Integer> boxed(OptionalInt value) {
        return value.isPresent() ? Optional.of(value.getAsInt()) : Optional.empty();
    }

    static Optional<Long> boxed(OptionalLong value) {
        return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
    }

    static Optional<Long> millis(Optional<Duration> value) {
        return value.map(Duration::toMillis);
    }

    static int flag(boolean value) {
        return value ? 1 : 0;
    }
}
