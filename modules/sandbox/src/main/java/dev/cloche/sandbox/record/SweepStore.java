package dev.cloche.sandbox.record;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.catalog.PeriodicLease;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads and writes for sweeps: many rows by one statement, and many changes in one transaction. */
public final class SweepStore {
    public static final String ACTIVE = SweepRow.SELECT + """
            WHERE s.status IN ('STARTING', 'RUNNING', 'PAUSED', 'SUSPENDING', 'SUSPENDED', 'RESUMING', 'DRAINING')
              AND s.id > ?
            ORDER BY s.id LIMIT ?
            """;

    public static final String ENDED = """
            SELECT id, name FROM sandbox WHERE ephemeral = 1 AND status IN ('STOPPED', 'CRASHED') AND id > ?
            ORDER BY id LIMIT ?
            """;

    private final Catalog catalog;
    private final Clock clock;
    private final Runnable onEvents;

    /**
     * Creates the store of a catalog.
     *
     * @param onEvents told after each transaction that may have recorded events
     */
    public SweepStore(Catalog catalog, Clock clock, Runnable onEvents) {
        this.catalog = catalog;
        this.clock = clock;
        this.onEvents = onEvents;
    }

    /** Returns a lease in the same catalog, and by the same clock. */
    public PeriodicLease lease(String name, Duration length, Duration window) {
        return new PeriodicLease(catalog, name, length, window, clock);
    }

    /** Makes the copy of the catalog for the day when it is lost, if that is due. */
    public void renewCopy() {
        var _ = catalog.renewCopy(clock.instant());
    }

    /** Makes space that was taken for ends and removals whole again, where there is room. */
    public void refillReserve(Deadline deadline) {
        catalog.refillReserve(deadline);
    }

    /** Describes an end to record, of a sandbox as it was read. */
    public record Settled(SweepRow row, Termination termination) {}

    /** Returns the next sandboxes that are recorded as active, by id. */
    public List<SweepRow> active(long after, int most) {
        return catalog.read(transaction -> transaction.list(SweepRow::of, ACTIVE, after, most));
    }

    /** Returns ephemeral sandboxes that were made and are not started yet. */
    public List<SweepRow> unstarted(int most) {
        return catalog.read(transaction -> transaction.list(
                SweepRow::of,
                SweepRow.SELECT + "WHERE s.ephemeral = 1 AND s.status = 'CREATED' ORDER BY s.id LIMIT ?",
                most));
    }

    /**
     * Records ends, each only if the sandbox is still as it was read.
     *
     * @return how many were; empty if others were writing for all of {@code patience}, and nothing is recorded
     */
    public Optional<Integer> settle(List<Settled> ends, Duration patience) {
        long now = clock.millis();
        Optional<Integer> settled = catalog.tryWriteFromReserve(patience, transaction -> {
            int done = 0;
            for (Settled end : ends) {
                done += settle(transaction, end, now) ? 1 : 0;
            }
            return done;
        });
        onEvents.run();
        return settled;
    }

    private static boolean settle(CatalogTransaction transaction, Settled end, long now) throws SQLException {
        SweepRow row = end.row();
        if (row.run().isPresent()) {
            if (!EndRows.terminate(
                    transaction,
                    end.termination(),
                    now,
                    "id = ? AND EXISTS (SELECT 1 FROM sandbox WHERE id = run.sandbox_id AND status = ?)",
                    row.run().get().id(),
                    row.status().name())) {
                return false;
            }
        } else if (transaction
                .first(
                        found -> found.getInt(1),
                        "SELECT 1 FROM run WHERE sandbox_id = ? AND status = 'RUNNING'",
                        row.id())
                .isPresent()) {
            return false;
        }
        SandboxStatus status = end.termination().status();
        boolean changed = transaction.update(
                        "UPDATE sandbox SET status = ?, updated_at = ? WHERE id = ? AND status = ?",
                        status.name(),
                        now,
                        row.id(),
                        row.status().name())
                == 1;
        if (changed) {
            EventRows.append(
                    transaction, row.id(), StatusRows.eventOf(status), Optional.of(end.termination()), "", now);
        }
        return changed;
    }

    /**
     * Returns what the latest event of a running sandbox says that hinders it, by the sandbox; none of those that work.
     */
    public Map<Long, String> hindered() {
        Map<Long, String> found = new HashMap<>();
        var _ = catalog.<List<Boolean>, RuntimeException>read(transaction ->
                transaction.list(row -> found.put(row.getLong(1), row.getString(2)) == null, """
                SELECT e.sandbox_id, e.detail FROM sandbox_event e
                WHERE e.kind = 'RUNNING' AND e.detail != '' AND NOT EXISTS (
                    SELECT 1 FROM sandbox_event l WHERE l.sandbox_id = e.sandbox_id AND l.kind = 'RUNNING' AND l.id > e.id)
                """));
        return found;
    }

    /** Records that sandboxes run, each with what hinders it, or an empty text; nothing if others write all the time. */
    public void tellRunning(Map<Long, String> sandboxes, Duration patience) {
        long now = clock.millis();
        var _ = catalog.tryWrite(patience, transaction -> {
            for (Map.Entry<Long, String> sandbox : sandboxes.entrySet()) {
                EventRows.append(
                        transaction,
                        sandbox.getKey(),
                        SandboxEvent.Kind.RUNNING,
                        Optional.empty(),
                        sandbox.getValue(),
                        now);
            }
            return sandboxes.size();
        });
        onEvents.run();
    }

    /** Says whether nothing of a sandbox has changed since it was read. */
    public boolean isStill(SweepRow row) {
        return catalog.<Optional<SweepRow>, RuntimeException>read(
                        transaction -> transaction.first(SweepRow::of, SweepRow.SELECT + "WHERE s.id = ?", row.id()))
                .filter(row::equals)
                .isPresent();
    }

    /** Describes an ephemeral sandbox that has ended. */
    public record Ended(long id, String name) {}

    /** Returns the next ephemeral sandboxes that have ended, by id. */
    public List<Ended> endedEphemerals(long after, int most) {
        return catalog.read(transaction ->
                transaction.list(row -> new Ended(row.getLong(1), row.getString(2)), ENDED, after, most));
    }

    /** Returns the directories of all sandboxes. */
    public Set<String> directories() {
        return texts("SELECT directory FROM sandbox");
    }

    /** Returns the VMs of all runs. */
    public Set<String> vms() {
        return texts("SELECT vm_id FROM run");
    }

    /** Returns the ids of all rows of a table of this room, as image holders have them. */
    public Set<String> ids(String table) {
        return texts("SELECT CAST(id AS TEXT) FROM " + table);
    }

    private Set<String> texts(String query) {
        return Set.copyOf(catalog.<List<String>, RuntimeException>read(
                transaction -> transaction.list(row -> row.getString(1), query)));
    }
}
