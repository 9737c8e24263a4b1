package dev.cloche.bench.probe;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmState;
import dev.cloche.vm.testing.InMemoryProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/**
 * Makes a state root with as many rows as are wanted, a real catalog, and VMs in memory. Of the sandboxes that are only
 * rows, those whose VM is called {@code live…} are reported as living, and all others as dead.
 */
public final class SeededRoot implements AutoCloseable {
    public static final List<CatalogSchema> SCHEMAS =
            List.of(Catalog.leases(), ImageStore.schema(), SandboxManager.schema(), SandboxManager.snapshotSchema());

    private final Path state;
    private final Setting setting;
    private final InMemoryProvider memory = new InMemoryProvider();
    private final VmProvider vms = pretending(memory);
    private final Catalog catalog;
    private final SandboxManager sandboxes;

    public SeededRoot(Setting setting, Path state) {
        this.setting = setting;
        this.state = state;
        catalog = Catalog.open(state, SCHEMAS);
        sandboxes = open(catalog);
    }

    private SandboxManager open(Catalog opened) {
        ImageStore images = ImageStore.open(
                state.resolve("cache"),
                opened,
                ImageStoreOptions.defaults().withBundled(List.of(setting.share().resolve("images/base"))));
        return new SandboxManager(state, opened, images, vms, Clock.systemUTC());
    }

    public Catalog catalog() {
        return catalog;
    }

    public SandboxManager sandboxes() {
        return sandboxes;
    }

    /** Opens the state root as a further runtime does, and closes it. */
    public void openAgain() {
        try (Catalog again = Catalog.open(state, SCHEMAS);
                SandboxManager _ = open(again)) {
            // Opened.
        }
    }

    /** Sandboxes that run, detached, each with one run. */
    public void addRunning(String prefix, int count) {
        catalog.write(transaction -> {
            for (int i = 0; i < count; i++) {
                addRun(transaction, addSandbox(transaction, prefix + i, "RUNNING"), prefix + i, true);
            }
            return count;
        });
    }

    /** Sandboxes that have ended, each with as many runs. */
    public void addEnded(String prefix, int count, int runs) {
        catalog.write(transaction -> {
            for (int i = 0; i < count; i++) {
                long id = addSandbox(transaction, prefix + i, "STOPPED");
                for (int run = 0; run < runs; run++) {
                    addRun(transaction, id, prefix + i + "-" + run, false);
                }
            }
            return count;
        });
    }

    private static long addSandbox(CatalogTransaction transaction, String name, String status) throws SQLException {
        return transaction.first(row -> row.getLong(1), """
                        INSERT INTO sandbox (name, directory, image, command, status, ephemeral, memory_mib, cpus,
                               start_timeout, restart, restarts, kept_runs, created_at, updated_at)
                        VALUES (?, ?, 'base', 'sleep 600', ?, 0, 256, 1, 1800000, 'NO', 0, 5, 1, 1) RETURNING id
                        """, name, name, status).orElseThrow();
    }

    private static void addRun(CatalogTransaction transaction, long id, String vm, boolean running)
            throws SQLException {
        transaction.update(
                """
                INSERT INTO run (sandbox_id, vm_id, detached, owner_pid, owner_start_time, owner_boot_id, status, reason,
                       detail, started_at, terminated_at)
                VALUES (?, ?, 1, 1, 1, 'an earlier boot', ?, ?, '', 1, ?)
                """,
                id,
                vm,
                running ? "RUNNING" : "TERMINATED",
                running ? Optional.empty() : "COMPLETED",
                running ? Optional.empty() : 1);
    }

    public void clear() {
        catalog.write(transaction -> transaction.update("DELETE FROM sandbox"));
    }

    private static VmProvider pretending(VmProvider real) {
        return (VmProvider) Proxy.newProxyInstance(
                VmProvider.class.getClassLoader(), new Class<?>[] {VmProvider.class}, (_, method, arguments) -> {
                    if (method.getName().equals("get")
                            && arguments[0] instanceof VmId id
                            && id.value().startsWith("live")) {
                        return Optional.of(new VmInfo(id, VmState.RUNNING, Optional.empty(), Optional.empty()));
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public void close() {
        try (catalog;
                memory) {
            sandboxes.close();
        }
    }
}
