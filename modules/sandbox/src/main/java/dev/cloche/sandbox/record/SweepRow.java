package dev.cloche.sandbox.record;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.vm.VmId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Says what a sweep reads of a sandbox: nothing of what it was made of.
 *
 * @param directory of its files
 * @param updatedAt when its status changed last
 * @param run the one that has not ended, as far as the record says
 */
public record SweepRow(
        long id,
        String name,
        String directory,
        SandboxStatus status,
        boolean ephemeral,
        Duration startTimeout,
        Instant updatedAt,
        Optional<Run> run) {

    /**
     * Describes the run that has not ended.
     *
     * @param identified whether its guest has answered once, so that its VM is known
     * @param asked why its end was asked for, if it was
     */
    public record Run(
            long id,
            VmId vm,
            boolean detached,
            ProcessIdentity owner,
            boolean identified,
            Optional<TerminationReason> asked,
            Instant startedAt) {}

    static final String SELECT = """
            SELECT s.id, s.name, s.directory, s.status, s.ephemeral, s.start_timeout, s.updated_at,
                   r.id AS run_id, r.vm_id, r.detached, r.owner_pid, r.owner_start_time, r.owner_boot_id,
                   r.guard_pid IS NOT NULL AS identified, r.asked, r.started_at
            FROM sandbox s
            LEFT JOIN run r ON r.sandbox_id = s.id AND r.status = 'RUNNING'
            """;

    static SweepRow of(ResultSet row) throws SQLException {
        return new SweepRow(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                SandboxStatus.valueOf(row.getString(4)),
                row.getInt(5) == 1,
                Duration.ofMillis(row.getLong(6)),
                Instant.ofEpochMilli(row.getLong(7)),
                row.getString(9) == null ? Optional.empty() : Optional.of(runOf(row)));
    }

    private static Run runOf(ResultSet row) throws SQLException {
        return new Run(
                row.getLong(8),
                new VmId(row.getString(9)),
                row.getInt(10) == 1,
                new ProcessIdentity(row.getLong(11), row.getLong(12), row.getString(13)),
                row.getInt(14) == 1,
                Optional.ofNullable(row.getString(15)).map(TerminationReason::valueOf),
                Instant.ofEpochMilli(row.getLong(16)));
    }
}
