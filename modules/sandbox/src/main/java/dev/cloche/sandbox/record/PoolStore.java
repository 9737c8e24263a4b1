package dev.cloche.sandbox.record;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.catalog.WriteDurability;
import dev.cloche.pool.DepthPolicy;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.PoolStatus;
import dev.cloche.vm.VmId;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Records what pools are to have, and which of their VMs have become which run's. */
public final class PoolStore {
    private final Catalog catalog;
    private final Clock clock;

    public PoolStore(Catalog catalog, Clock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /** Sets a pool, new or not. */
    public void set(PoolShape shape, PoolStatus.Policy policy) {
        DepthPolicy depth = policy.depth();
        boolean byDemand = depth.sizing() == DepthPolicy.Sizing.BY_DEMAND;
        catalog.write(transaction -> {
            transaction.update(
                    """
                    INSERT INTO pool (image, template_image, memory_mib, cpus, network, depth, min_depth, cold_after, max_age, in_process,
                           created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (image, memory_mib, cpus, network)
                    DO UPDATE SET depth = excluded.depth, min_depth = excluded.min_depth,
                        cold_after = excluded.cold_after, max_age = excluded.max_age, in_process = excluded.in_process,
                        failed_at = NULL, retry_at = NULL
                    """,
                    shape.subject(),
                    shape.template().map(_ -> shape.image().toString()),
                    shape.memoryMib(),
                    shape.cpus(),
                    PoolRow.network(shape),
                    depth.max(),
                    byDemand ? Optional.of(depth.min()) : Optional.empty(),
                    depth.coldAfter().map(Duration::toMillis),
                    policy.maxAge().toMillis(),
                    SandboxRows.flag(policy.inProcess()),
                    clock.millis());
            long id = find(transaction, shape).orElseThrow().id();
            transaction.update("DELETE FROM pool_word WHERE pool_id = ?", id);
            for (int i = 0; i < policy.check().size(); i++) {
                transaction.update(
                        "INSERT INTO pool_word (pool_id, position, word) VALUES (?, ?, ?)",
                        id,
                        i,
                        policy.check().get(i));
            }
            transaction.update("DELETE FROM pool_probe WHERE pool_id = ?", id);
            for (int i = 0; i < policy.probes().size(); i++) {
                PoolStatus.Probe probe = policy.probes().get(i);
                transaction.update(
                        "INSERT INTO pool_probe (pool_id, position, port, path) VALUES (?, ?, ?, ?)",
                        id,
                        i,
                        probe.port(),
                        probe.path());
            }
            return id;
        });
    }

    /** Returns all pools, in the order of their making. */
    public List<PoolRow> all() {
        return catalog.<List<PoolRow>, RuntimeException>read(transaction -> {
            List<PoolRow> rows = new ArrayList<>();
            for (PoolRow row : transaction.list(PoolRow::of, PoolRow.SELECT + "ORDER BY id")) {
                rows.add(row.whole(transaction));
            }
            return rows;
        });
    }

    public Optional<PoolRow> find(PoolShape shape) {
        return catalog.<Optional<PoolRow>, RuntimeException>read(transaction -> find(transaction, shape));
    }

    private static Optional<PoolRow> find(CatalogTransaction transaction, PoolShape shape) throws SQLException {
        Optional<PoolRow> row = transaction.first(
                PoolRow::of,
                PoolRow.SELECT + "WHERE image = ? AND memory_mib = ? AND cpus = ? AND network = ?",
                shape.subject(),
                shape.memoryMib(),
                shape.cpus(),
                PoolRow.network(shape));
        return row.isPresent() ? Optional.of(row.get().whole(transaction)) : row;
    }

    /** Deletes a pool; returns false if there is none. */
    public boolean delete(PoolShape shape) {
        return catalog.writeFromReserve(transaction -> transaction.update(
                        "DELETE FROM pool WHERE image = ? AND memory_mib = ? AND cpus = ? AND network = ?",
                        shape.subject(),
                        shape.memoryMib(),
                        shape.cpus(),
                        PoolRow.network(shape))
                == 1);
    }

    public void made(long id) {
        catalog.write(
                WriteDurability.WITH_NEXT,
                transaction -> transaction.update(
                        "UPDATE pool SET made = made + 1, failed_at = NULL, retry_at = NULL WHERE id = ?", id));
    }

    /**
     * Records that no VM could be made.
     *
     * @param pause until the next attempt
     */
    public void failed(long id, String why, Duration pause) {
        catalog.write(
                WriteDurability.WITH_NEXT,
                transaction -> transaction.update(
                        "UPDATE pool SET failed = failed + 1, last_error = ?, failed_at = ?, retry_at = ? WHERE id = ?",
                        why,
                        clock.millis(),
                        clock.millis() + pause.toMillis(),
                        id));
    }

    /**
     * Records that the run of a sandbox is about to claim this VM, which its process owns now. So no other process can: what
     * an earlier start recorded of it came to nothing, and is taken back.
     *
     * @return false if the sandbox has no run any more
     */
    public boolean choose(long sandbox, VmId vm) {
        return catalog.write(WriteDurability.WITH_NEXT, transaction -> {
            transaction.update(
                    "UPDATE run SET vm_id = ? WHERE vm_id = ? AND NOT (sandbox_id = ? AND status = 'RUNNING')",
                    VmId.random().value(),
                    vm.value(),
                    sandbox);
            return transaction.update(
                            "UPDATE run SET vm_id = ? WHERE sandbox_id = ? AND status = 'RUNNING'", vm.value(), sandbox)
                    == 1;
        });
    }

    /** Says whether a VM is recorded as that of a run of a sandbox. */
    public boolean isOf(long sandbox, VmId vm) {
        return catalog.<Optional<Integer>, RuntimeException>read(transaction -> transaction.first(
                        row -> row.getInt(1),
                        "SELECT 1 FROM run WHERE vm_id = ? AND sandbox_id = ?",
                        vm.value(),
                        sandbox))
                .isPresent();
    }
}
