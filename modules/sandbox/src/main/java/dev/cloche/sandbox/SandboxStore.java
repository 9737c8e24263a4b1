package dev.cloche.sandbox;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.Session;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.VmId;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The rows of sandboxes and runs. Every change of a status names the statuses that it may change from, so that of several
 * runtimes that race exactly one succeeds.
 */
final class SandboxStore {
    static final CatalogSchema SCHEMA = new CatalogSchema(
            "sandbox",
            "dev/cloche/sandbox/migrations",
            List.of(
                    CatalogSchema.Migration.additive("sandboxes and their runs"),
                    new CatalogSchema.Migration("policies, labels, main commands and events of sandboxes", true, true),
                    CatalogSchema.Migration.additive("networks and published ports"),
                    CatalogSchema.Migration.additive("pools of warm VMs, and how runs began"),
                    new CatalogSchema.Migration("pools of VMs with a network", true, true)));

    private final Catalog catalog;
    private final Clock clock;
    private final Runnable onEvents;

    /** @param onEvents told after each transaction that may have recorded events */
    SandboxStore(Catalog catalog, Clock clock, Runnable onEvents) {
        this.catalog = catalog;
        this.clock = clock;
        this.onEvents = onEvents;
    }

    private <T> T change(Catalog.Work<T, RuntimeException> work) {
        T result = catalog.write(work);
        onEvents.run();
        return result;
    }

    /** What a new sandbox is recorded with. */
    record NewSandbox(String name, SandboxSpec spec, MainCommand main) {}

    /** What a new run is recorded with, before anything of it exists. */
    record NewRun(VmId vm, boolean detached, ProcessIdentity owner) {}

    /**
     * Records a new sandbox, with its first run if there is one; empty if its name is taken.
     *
     * @param beforehand done with the name of its directory before anybody else can see the row; if it fails, there is none
     */
    Optional<Long> insert(NewSandbox sandbox, Optional<NewRun> run, Consumer<String> beforehand) {
        return change(session -> {
            SandboxStatus status = run.isPresent() ? SandboxStatus.STARTING : SandboxStatus.CREATED;
            Optional<Long> id = insert(session, sandbox, status);
            if (id.isPresent()) {
                if (run.isPresent()) {
                    insertRun(session, id.get(), run.get());
                }
                beforehand.accept(directory(sandbox.name(), id.get()));
                EventRows.append(session, id.get(), eventOf(status), clock.millis());
            }
            return id;
        });
    }

    /** The row's id is part of it, so that no two sandboxes ever have the same one. */
    private static String directory(String name, long id) {
        return name + "-" + id;
    }

    static SandboxEvent.Kind eventOf(SandboxStatus status) {
        return SandboxEvent.Kind.valueOf(status.name());
    }

    private Optional<Long> insert(Session session, NewSandbox sandbox, SandboxStatus status) throws SQLException {
        long now = clock.millis();
        SandboxSpec spec = sandbox.spec();
        SandboxPolicies policies = spec.policies();
        Optional<Long> id = session.first(
                row -> row.getLong(1),
                """
                INSERT INTO sandbox (name, directory, image, command, status, ephemeral, memory_mib, cpus, disk_mib,
                       max_duration, idle_timeout, start_timeout, restart, restart_limit, restarts, kept_runs, created_at, updated_at)
                VALUES (?, hex(randomblob(16)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)
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
                now,
                now);
        if (id.isPresent()) {
            // The row's id is part of it, so that no two sandboxes ever have the same one.
            session.update("UPDATE sandbox SET directory = ? WHERE id = ?", sandbox.name() + "-" + id.get(), id.get());
            CommandRows.insert(session, id.get(), sandbox.main());
            CommandRows.insertLabels(session, id.get(), spec.labels());
            NetworkRows.insert(session, id.get(), spec.network());
        }
        return id;
    }

    private void insertRun(Session session, long id, NewRun run) throws SQLException {
        catalog.refuseDuringInstall(session);
        session.update(
                """
                INSERT INTO run (sandbox_id, vm_id, detached, owner_pid, owner_start_time, owner_boot_id, status, started_at)
                VALUES (?, ?, ?, ?, ?, ?, 'RUNNING', ?)
                """,
                id,
                run.vm().value(),
                SandboxRows.flag(run.detached()),
                run.owner().pid(),
                run.owner().startTime(),
                run.owner().bootId(),
                clock.millis());
    }

    /**
     * Records a further run of a sandbox that does not run; false if it is not in {@code from} any more.
     *
     * @param restarts how often it has been started in a row by its restart policy; 0 if somebody asked for it
     */
    boolean startAgain(long id, SandboxStatus from, NewRun run, int restarts) {
        return change(session -> {
            if (!move(session, id, from, SandboxStatus.STARTING)) {
                return false;
            }
            session.update("UPDATE sandbox SET restarts = ? WHERE id = ?", restarts, id);
            insertRun(session, id, run);
            return true;
        });
    }

    /** Moves a sandbox along the table of transitions; false if it is not in {@code from} any more. */
    boolean move(long id, SandboxStatus from, SandboxStatus to) {
        return change(session -> move(session, id, from, to));
    }

    private boolean move(Session session, long id, SandboxStatus from, SandboxStatus to) throws SQLException {
        if (!from.successors().contains(to)) {
            throw new IllegalArgumentException("no transition from " + from + " to " + to);
        }
        long now = clock.millis();
        boolean moved = session.update(
                        "UPDATE sandbox SET status = ?, updated_at = ? WHERE id = ? AND status = ?",
                        to.name(),
                        now,
                        id,
                        from.name())
                == 1;
        if (moved) {
            EventRows.append(
                    session,
                    id,
                    from == SandboxStatus.PAUSED && to == SandboxStatus.RUNNING
                            ? SandboxEvent.Kind.RESUMED
                            : eventOf(to),
                    now);
        }
        return moved;
    }

    /**
     * Its guest has answered: records who its guard is, the image that it has got, and how it began; false if it is not
     * starting any more.
     */
    boolean running(long id, Optional<ProcessIdentity> guard, String manifest, StartRows.Note note) {
        return change(session -> {
            if (!move(session, id, SandboxStatus.STARTING, SandboxStatus.RUNNING)) {
                return false;
            }
            session.update("UPDATE sandbox SET manifest = ? WHERE id = ?", manifest, id);
            session.update(
                    """
                    UPDATE run SET guard_pid = ?, guard_start_time = ?, guard_boot_id = ?, ready_at = ?
                    WHERE sandbox_id = ? AND status = 'RUNNING'
                    """,
                    guard.map(ProcessIdentity::pid),
                    guard.map(ProcessIdentity::startTime),
                    guard.map(ProcessIdentity::bootId),
                    clock.millis(),
                    id);
            StartRows.insert(session, id, note);
            return true;
        });
    }

    /** How those runs of a sandbox began that are kept. */
    List<RunStart> starts(long id) {
        return catalog.read(session -> StartRows.read(session, id));
    }

    /** Records which image a sandbox has got, and gets again from then on. */
    void imageFound(long id, String manifest) {
        catalog.write(session -> session.update("UPDATE sandbox SET manifest = ? WHERE id = ?", manifest, id));
    }

    /**
     * Records that the end of a sandbox was asked for, before it is carried out; whoever finds it ended then knows why. The
     * latest who asks is who is remembered, because his is the end that comes.
     *
     * @param from the statuses in which there is anything to ask for
     * @return false if it is in none of them
     */
    boolean ask(long id, TerminationReason reason, Set<SandboxStatus> from) {
        if (!reason.canBeAsked()) {
            throw new IllegalArgumentException("nobody asks for an end as " + reason);
        }
        return change(session -> {
            boolean draining = false;
            for (SandboxStatus status : from) {
                draining |= status == SandboxStatus.DRAINING
                        ? is(session, id, status)
                        : move(session, id, status, SandboxStatus.DRAINING);
            }
            return draining
                    && session.update(
                                    "UPDATE run SET asked = ? WHERE sandbox_id = ? AND status = 'RUNNING'",
                                    reason.name(),
                                    id)
                            == 1;
        });
    }

    private static boolean is(Session session, long id, SandboxStatus status) throws SQLException {
        return session.first(
                        row -> row.getInt(1), "SELECT 1 FROM sandbox WHERE id = ? AND status = ?", id, status.name())
                .isPresent();
    }

    /** Records that somebody wants a sandbox to stay ended that its restart policy would start again. */
    void giveUp(long id) {
        catalog.write(session -> session.update("""
                UPDATE run SET asked = 'SHUTDOWN_REQUESTED'
                WHERE id = (SELECT max(id) FROM run WHERE sandbox_id = ?) AND status = 'TERMINATED' AND asked IS NULL
                  AND EXISTS (SELECT 1 FROM sandbox WHERE id = ? AND restart <> 'NO')
                """, id, id));
    }

    /** Records that a sandbox's run outlives the process that started it; false if it has ended. */
    boolean detach(long id) {
        return change(session -> {
            boolean runs =
                    session.update("UPDATE run SET detached = 1 WHERE sandbox_id = ? AND status = 'RUNNING'", id) == 1;
            if (runs) {
                EventRows.append(session, id, SandboxEvent.Kind.DETACHED, clock.millis());
            }
            return runs;
        });
    }

    /** Records who has taken a run over; false if it has ended. */
    boolean adopt(long id, long run, ProcessIdentity owner) {
        return change(session -> {
            boolean runs = session.update("""
                            UPDATE run SET owner_pid = ?, owner_start_time = ?, owner_boot_id = ?
                            WHERE id = ? AND sandbox_id = ? AND status = 'RUNNING'
                            """, owner.pid(), owner.startTime(), owner.bootId(), run, id) == 1;
            if (runs) {
                EventRows.append(session, id, SandboxEvent.Kind.ADOPTED, clock.millis());
            }
            return runs;
        });
    }

    /** Records the end of a sandbox's run; false if somebody else has done so. */
    boolean end(long id, Ending ending) {
        long now = clock.millis();
        return change(session -> {
            boolean ended = EndRows.terminate(session, ending, now, "sandbox_id = ?", id);
            int changed = session.update("""
                    UPDATE sandbox SET status = ?, updated_at = ?
                    WHERE id = ? AND status IN ('STARTING', 'RUNNING', 'PAUSED', 'DRAINING')
                    """, ending.status().name(), now, id);
            if (changed > 0) {
                EventRows.append(session, id, eventOf(ending.status()), Optional.of(ending), "", now);
            }
            return ended;
        });
    }

    /**
     * Records that a sandbox that does not run is to go, so that nobody starts it again and whoever looks next finishes a
     * removal that got halfway; false if it is gone or runs.
     */
    boolean doom(long id) {
        return catalog.write(session -> session.update("""
                        UPDATE sandbox SET ephemeral = 1,
                               status = CASE status WHEN 'CREATED' THEN 'CRASHED' ELSE status END
                        WHERE id = ? AND status IN ('CREATED', 'STOPPED', 'CRASHED')
                        """, id) == 1);
    }

    /** Records that a sandbox that is being started stays when it ends, from now on. */
    void keep(long id) {
        catalog.write(
                session -> session.update("UPDATE sandbox SET ephemeral = 0 WHERE id = ? AND status = 'STARTING'", id));
    }

    /** Removes the row of a sandbox that has ended and is to go; false if it is gone, runs or stays. */
    boolean deleteEnded(long id) {
        return change(session -> {
            boolean there = session.first(
                            row -> row.getInt(1),
                            "SELECT 1 FROM sandbox WHERE id = ? AND ephemeral = 1 AND status IN ('STOPPED', 'CRASHED')",
                            id)
                    .isPresent();
            if (there) {
                EventRows.append(session, id, SandboxEvent.Kind.REMOVED, clock.millis());
                session.update("DELETE FROM sandbox WHERE id = ?", id);
            }
            return there;
        });
    }

    /** Gives a sandbox another name; false if that is taken. */
    boolean rename(long id, String name) {
        return change(session -> {
            if (session.first(row -> row.getInt(1), "SELECT 1 FROM sandbox WHERE name = ?", name)
                    .isPresent()) {
                return false;
            }
            // Under the name that it had.
            EventRows.append(session, id, SandboxEvent.Kind.RENAMED, Optional.empty(), name, clock.millis());
            return session.update("UPDATE sandbox SET name = ? WHERE id = ?", name, id) == 1;
        });
    }

    Optional<SandboxRecord> byName(String name) {
        return catalog.read(
                session -> session.first(SandboxRows::sandbox, SandboxRows.SELECT + "WHERE s.name = ?", name));
    }

    Optional<SandboxRecord> byId(long id) {
        return catalog.read(session -> session.first(SandboxRows::sandbox, SandboxRows.SELECT + "WHERE s.id = ?", id));
    }

    /** All sandboxes, the newest first. */
    List<SandboxRecord> all() {
        return list(SandboxFilter.all());
    }

    /** The newest first. */
    List<SandboxRecord> list(SandboxFilter filter) {
        SandboxFilter.Condition condition = filter.condition();
        return catalog.read(session -> session.list(
                SandboxRows::sandbox,
                SandboxRows.SELECT + condition.sql(),
                condition.parameters().toArray()));
    }

    /** The sandboxes that an owner may be wanted for: those that run detached, and those that a policy may start again. */
    List<SandboxRecord> unkept() {
        return catalog.read(session -> session.list(SandboxRows::sandbox, SandboxRows.SELECT + """
                WHERE (s.status IN ('STARTING', 'RUNNING', 'PAUSED', 'DRAINING') AND r.detached = 1)
                   OR (s.restart <> 'NO' AND s.status IN ('STOPPED', 'CRASHED') AND r.asked IS NULL)
                ORDER BY s.id
                """));
    }

    /** All runs of a sandbox that are kept, the latest first. */
    List<RunRecord> runs(long id) {
        return catalog.read(session -> session.list(
                SandboxRows::run,
                "SELECT r.id AS run_id, r.status AS run_status, r.* FROM run r WHERE r.sandbox_id = ? ORDER BY r.id DESC",
                id));
    }

    /** Removes the row of a run whose end is recorded. */
    void deleteRun(long run) {
        catalog.write(session -> session.update("DELETE FROM run WHERE id = ? AND status = 'TERMINATED'", run));
    }

    /** The network that it gets, with its ports as they were asked for. */
    NetworkSpec network(long id) {
        return catalog.read(session -> NetworkRows.read(session, id));
    }

    /** What a sandbox runs; empty for one of a Cloche that did not record it. */
    Optional<MainCommand> mainCommand(long id) {
        return catalog.read(session -> CommandRows.read(session, id));
    }

    /** Records another main command, for the next start. */
    void changeMain(long id, MainCommand main) {
        catalog.write(session -> {
            CommandRows.replace(session, id, main);
            return id;
        });
    }

    /** The events after one, the oldest first, as many as are read at once. */
    List<SandboxEvent> eventsAfter(long id) {
        return catalog.read(session -> EventRows.after(session, id));
    }

    /** Where to begin to read events: behind the latest, or before the first that is not older than this. */
    long eventsFrom(Optional<Instant> since) {
        return catalog.read(
                session -> since.isPresent() ? EventRows.before(session, since.get()) : EventRows.latest(session));
    }

    Map<String, String> labels(long id) {
        return catalog.read(session -> CommandRows.labels(session, id));
    }
}
