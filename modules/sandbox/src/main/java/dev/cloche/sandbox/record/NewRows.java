package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.vm.Isolation;
import java.sql.SQLException;
import java.util.Optional;

/** Writes the rows that sandboxes and runs begin with. */
final class NewRows {
    private NewRows() {}

    /** Inserts a sandbox with all that is recorded beside it; empty if its name is taken. */
    static Optional<Long> insert(
            CatalogTransaction transaction, SandboxStore.NewSandbox sandbox, SandboxStatus status, long now)
            throws SQLException {
        Optional<Long> id = insertRow(transaction, sandbox, status, now);
        if (id.isPresent()) {
            transaction.update(
                    "UPDATE sandbox SET directory = ? WHERE id = ?", directory(sandbox.name(), id.get()), id.get());
            CommandRows.insert(transaction, id.get(), sandbox.main());
            CommandRows.insertLabels(transaction, id.get(), sandbox.spec().labels());
            NetworkRows.insert(transaction, id.get(), sandbox.spec().network());
        }
        return id;
    }

    /** The row's id is part of it, so that no two sandboxes ever have the same one. */
    static String directory(String name, long id) {
        return name + "-" + id;
    }

    private static Optional<Long> insertRow(
            CatalogTransaction transaction, SandboxStore.NewSandbox sandbox, SandboxStatus status, long now)
            throws SQLException {
        SandboxSpec spec = sandbox.spec();
        SandboxPolicies policies = spec.policies();
        return transaction.first(
                row -> row.getLong(1),
                """
                INSERT INTO sandbox (name, directory, image, command, status, ephemeral, memory_mib, cpus, disk_mib,
                       max_duration, idle_timeout, start_timeout, restart, restart_limit, restarts, kept_runs, isolation,
                       on_deadline, disk_iops, disk_bps, created_at, updated_at)
                VALUES (?, hex(randomblob(16)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO NOTHING RETURNING id
                """,
                sandbox.name(),
                spec.image(),
                String.join(" ", sandbox.main().words()),
                status.name(),
                SandboxRows.flag(spec.ephemeral()),
                spec.memoryMib(),
                spec.cpus(),
                SandboxRows.boxed(spec.diskMib()),
                SandboxRows.millis(policies.maxDuration()),
                SandboxRows.millis(policies.idleTimeout()),
                policies.startTimeout().toMillis(),
                policies.restart().kind().name(),
                SandboxRows.boxed(policies.restart().limit()),
                policies.keptRuns(),
                policies.isolation().map(Isolation::name),
                policies.onDeadline().name(),
                SandboxRows.boxed(policies.diskThrottle().iops()),
                SandboxRows.boxed(policies.diskThrottle().bytesPerSecond()),
                now,
                now);
    }

    static void imageFound(CatalogTransaction transaction, long id, SandboxStore.FoundImage image) throws SQLException {
        transaction.update(
                "UPDATE sandbox SET manifest = ?, command = CASE command WHEN '' THEN ? ELSE command END WHERE id = ?",
                image.manifest(),
                image.command(),
                id);
    }

    static void insertRun(CatalogTransaction transaction, long sandbox, SandboxStore.NewRun run, long now)
            throws SQLException {
        transaction.update(
                """
                INSERT INTO run (sandbox_id, vm_id, detached, owner_pid, owner_start_time, owner_boot_id, status, started_at)
                VALUES (?, ?, ?, ?, ?, ?, 'RUNNING', ?)
                """,
                sandbox,
                run.vm().value(),
                SandboxRows.flag(run.detached()),
                run.owner().pid(),
                run.owner().startTime(),
                run.owner().bootId(),
                now);
    }
}
