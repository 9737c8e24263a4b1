package dev.cloche.sandbox.record;

import dev.cloche.catalog.Catalog;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.vm.VmId;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What pools are to have, and which of their VMs have become which run's. */
public final class PoolStore {
    private final Catalog catalog;
    private final Clock clock;

    public PoolStore(Catalog catalog, Clock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /** Sets a pool, new or not. */
    public void set(PoolShape shape, int depth, Duration maxAge) {
        catalog.write(session -> session.update(
                """
                INSERT INTO pool (image, memory_mib, cpus, network, depth, max_age, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (image, memory_mib, cpus, network)
                DO UPDATE SET depth = excluded.depth, max_age = excluded.max_age, failed_at = NULL
                """,
                shape.image().toString(),
                shape.memoryMib(),
                shape.cpus(),
                PoolRow.network(shape),
                depth,
                maxAge.toMillis(),
                clock.millis()));
    }

    /** All pools, in the order of their making. */
    public List<PoolRow> all() {
        return catalog.read(session -> session.list(PoolRow::of, PoolRow.SELECT + "ORDER BY id"));
    }

    public Optional<PoolRow> find(PoolShape shape) {
        return catalog.read(session -> session.first(
                PoolRow::of,
                PoolRow.SELECT + "WHERE image = ? AND memory_mib = ? AND cpus = ? AND network = ?",
                shape.image().toString(),
                shape.memoryMib(),
                shape.cpus(),
                PoolRow.network(shape)));
    }

    /** False if there is none. */
    public boolean delete(PoolShape shape) {
        return catalog.writeFromReserve(session -> session.update(
                        "DELETE FROM pool WHERE image = ? AND memory_mib = ? AND cpus = ? AND network = ?",
                        shape.image().toString(),
                        shape.memoryMib(),
                        shape.cpus(),
                        PoolRow.network(shape))
                == 1);
    }

    public void made(long id) {
        catalog.write(session -> session.update("UPDATE pool SET made = made + 1, failed_at = NULL WHERE id = ?", id));
    }

    public void failed(long id, String why) {
        catalog.write(session -> session.update(
                "UPDATE pool SET failed = failed + 1, last_error = ?, failed_at = ? WHERE id = ?",
                why,
                clock.millis(),
                id));
    }

    /**
     * Records that the run of a sandbox is about to claim this VM, which its process owns now. So no other process can: what
     * an earlier start recorded of it came to nothing, and is taken back.
     *
     * @return false if the sandbox has no run any more
     */
    public boolean choose(long sandbox, VmId vm) {
        return catalog.write(session -> {
            session.update(
                    "UPDATE run SET vm_id = ? WHERE vm_id = ? AND NOT (sandbox_id = ? AND status = 'RUNNING')",
                    VmId.random().value(),
                    vm.value(),
                    sandbox);
            return session.update(
                            "UPDATE run SET vm_id = ? WHERE sandbox_id = ? AND status = 'RUNNING'", vm.value(), sandbox)
                    == 1;
        });
    }

    /** Whether a VM is recorded as that of a run of a sandbox. */
    public boolean isOf(long sandbox, VmId vm) {
        return catalog.<Optional<Integer>, RuntimeException>read(session -> session.first(
                        row -> row.getInt(1),
                        "SELECT 1 FROM run WHERE vm_id = ? AND sandbox_id = ?",
                        vm.value(),
                        sandbox))
                .isPresent();
    }
}
