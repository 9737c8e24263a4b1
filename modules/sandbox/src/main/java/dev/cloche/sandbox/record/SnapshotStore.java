package dev.cloche.sandbox.record;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.RestartPolicy;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.SnapshotStatus;
import dev.cloche.sandbox.Template;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.NetworkSpec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** Reads and writes the rows of snapshots. Every change of a status names the one that it changes from. */
public final class SnapshotStore {
    /** Tables of their own, with versions of their own: they refer to nothing of the sandboxes'. */
    public static final CatalogSchema SCHEMA = new CatalogSchema(
            "sandbox_snapshot",
            "META-INF/cloche/migrations/snapshots",
            List.of(
                    CatalogSchema.Migration.additive("snapshots", "snapshots of sandboxes"),
                    CatalogSchema.Migration.additive("stop_signals", "stop signals"),
                    CatalogSchema.Migration.additive("whole_commands", "main commands without an image's entrypoint"),
                    CatalogSchema.Migration.additive("command_defaults", "defaults of a sandbox's commands"),
                    CatalogSchema.Migration.additive("staying", "sandboxes that stay until they are stopped"),
                    CatalogSchema.Migration.additive("isolation", "the least of walls that a sandbox accepts"),
                    CatalogSchema.Migration.additive("on_deadline", "what is done at a deadline"),
                    CatalogSchema.Migration.additive("recipes", "templates that were prepared"),
                    CatalogSchema.Migration.changing("recipe_kinds", "templates with interpreters", true, false),
                    CatalogSchema.Migration.additive("disk_bounds", "limits of the disks of sandboxes")));

    private static final CommandTables COMMANDS = new CommandTables("snapshot");

    private final Catalog catalog;
    private final Clock clock;

    public SnapshotStore(Catalog catalog, Clock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /**
     * Says what a new snapshot is recorded with.
     *
     * @param name empty for a fork
     */
    public record NewSnapshot(
            Optional<String> name,
            SandboxSnapshot.Contents contents,
            SandboxRecord source,
            NetworkSpec network,
            Optional<MainCommand> main) {}

    /** Describes a row with its id and the name of its directory. */
    public record Row(long id, String directory) {}

    /** Holds what only a child needs to know. */
    public record Inheritance(SandboxPolicies policies, Optional<String> nameServer, Optional<MainCommand> main) {}

    /**
     * Records a snapshot that is being taken; empty if its name is taken.
     *
     * @param beforehand done with the name of its directory before any other process can see the row; if it fails,
     *     there is none
     */
    public Optional<Row> insert(NewSnapshot snapshot, Consumer<String> beforehand) {
        return catalog.write(transaction -> {
            Optional<Long> id = insert(transaction, snapshot);
            if (id.isEmpty()) {
                return Optional.empty();
            }
            Row row = new Row(id.get(), snapshot.source().name() + "-" + id.get());
            transaction.update("UPDATE sandbox_snapshot SET directory = ? WHERE id = ?", row.directory(), row.id());
            if (snapshot.main().isPresent()) {
                COMMANDS.insert(transaction, row.id(), snapshot.main().get());
            }
            beforehand.accept(row.directory());
            return Optional.of(row);
        });
    }

    /** Has the next snapshot get a higher id than this one. */
    public void skipIds(long id) {
        catalog.write(transaction -> {
            RowIds.skip(transaction, "sandbox_snapshot", id);
            return id;
        });
    }

    /** Returns the directories of all snapshots. */
    public Set<String> directories() {
        return Set.copyOf(catalog.<List<String>, RuntimeException>read(
                transaction -> transaction.list(row -> row.getString(1), "SELECT directory FROM sandbox_snapshot")));
    }

    /** Returns the ids and the directories of the templates that were prepared. */
    public List<Row> templates() {
        return catalog.read(transaction -> transaction.list(
                row -> new Row(row.getLong(1), row.getString(2)),
                "SELECT id, directory FROM sandbox_snapshot WHERE prepared = 1"));
    }

    private Optional<Long> insert(CatalogTransaction transaction, NewSnapshot snapshot) throws SQLException {
        SandboxRecord source = snapshot.source();
        Optional<NetworkSpec.User> network =
                snapshot.network() instanceof NetworkSpec.User user ? Optional.of(user) : Optional.empty();
        return transaction.first(
                row -> row.getLong(1),
                """
                INSERT INTO sandbox_snapshot (name, status, contents, directory, source, image, manifest, memory_mib, cpus,
                       disk_mib, network, name_server, max_duration, idle_timeout, start_timeout, isolation, on_deadline,
                       disk_iops, disk_bps, created_at)
                VALUES (?, 'TAKING', ?, hex(randomblob(16)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (name) DO NOTHING RETURNING id
                """,
                snapshot.name(),
                snapshot.contents().name(),
                source.name(),
                source.image(),
                source.manifest().orElse(""),
                source.memoryMib(),
                source.cpus(),
                SandboxRows.boxed(source.diskMib()),
                SandboxRows.flag(network.isPresent()),
                network.flatMap(NetworkSpec.User::nameServer),
                SandboxRows.millis(source.policies().maxDuration()),
                SandboxRows.millis(source.policies().idleTimeout()),
                source.policies().startTimeout().toMillis(),
                source.policies().isolation().map(Isolation::name),
                source.policies().onDeadline().name(),
                SandboxRows.boxed(source.policies().diskThrottle().iops()),
                SandboxRows.boxed(source.policies().diskThrottle().bytesPerSecond()),
                clock.millis());
    }

    /** Records that it is whole; false if it was decided meanwhile that it is to go. */
    public boolean ready(long id, Optional<Duration> pause) {
        return catalog.write(transaction -> transaction.update(
                        "UPDATE sandbox_snapshot SET status = 'READY', pause_nanos = ? WHERE id = ? AND status = 'TAKING'",
                        pause.map(Duration::toNanos),
                        id)
                == 1);
    }

    /**
     * Publishes a snapshot that is ready as a prepared template, in place of an earlier template of that name, which is to go.
     *
     * @return false if a snapshot that is no template has the name; then nothing changes
     */
    public boolean publish(long id, String name, Template.Recipe recipe) {
        return catalog.write(transaction -> {
            Optional<Long> before =
                    transaction.first(row -> row.getLong(1), "SELECT id FROM sandbox_snapshot WHERE name = ?", name);
            if (before.isPresent() && transaction.update("""
                            UPDATE sandbox_snapshot SET status = 'REMOVING', name = NULL WHERE id = ? AND prepared = 1
                            """, before.get()) == 0) {
                return false;
            }
            transaction.update("UPDATE sandbox_snapshot SET name = ?, prepared = 1 WHERE id = ?", name, id);
            RecipeRows.insert(transaction, id, recipe);
            return true;
        });
    }

    /** Returns how a template was prepared; empty if this is none. */
    public Optional<Template.Recipe> recipe(long id) {
        return catalog.read(transaction -> transaction
                        .first(row -> row.getInt(1), "SELECT prepared FROM sandbox_snapshot WHERE id = ?", id)
                        .filter(prepared -> prepared == 1)
                        .isPresent()
                ? Optional.of(RecipeRows.read(transaction, id))
                : Optional.empty());
    }

    /** Records that it is to go, and its name is free from now on; false if it is going or gone. */
    public boolean doom(long id) {
        return catalog.writeFromReserve(transaction -> transaction.update(
                        "UPDATE sandbox_snapshot SET status = 'REMOVING', name = NULL WHERE id = ? AND status <> 'REMOVING'",
                        id)
                == 1);
    }

    /** Deletes the row, as the last step of a removal. */
    public void delete(long id) {
        catalog.writeFromReserve(transaction ->
                transaction.update("DELETE FROM sandbox_snapshot WHERE id = ? AND status = 'REMOVING'", id));
    }

    /** Returns those with a name that can be restored, by name. */
    public List<SandboxSnapshot> all() {
        return catalog.read(transaction -> transaction.list(
                SnapshotStore::snapshot,
                "SELECT * FROM sandbox_snapshot WHERE status = 'READY' AND name IS NOT NULL ORDER BY name"));
    }

    public Optional<SandboxSnapshot> byName(String name) {
        return catalog.read(transaction ->
                transaction.first(SnapshotStore::snapshot, "SELECT * FROM sandbox_snapshot WHERE name = ?", name));
    }

    public Optional<SandboxSnapshot> byId(long id) {
        return catalog.read(transaction ->
                transaction.first(SnapshotStore::snapshot, "SELECT * FROM sandbox_snapshot WHERE id = ?", id));
    }

    /**
     * Returns those that only the process keeps that works on them: being taken, going, or of a fork. The memory that a suspended
     * sandbox goes on from is none of them.
     */
    public List<Row> passing() {
        return catalog.read(transaction -> transaction.list(row -> new Row(row.getLong(1), row.getString(2)), """
                SELECT id, directory FROM sandbox_snapshot
                WHERE (status <> 'READY' OR name IS NULL)
                  AND NOT EXISTS (SELECT 1 FROM run_suspension WHERE snapshot_id = sandbox_snapshot.id AND held = 1)
                ORDER BY id
                """));
    }

    /** Returns where its files are; empty if it is gone. */
    public Optional<String> directory(long id) {
        return catalog.read(transaction ->
                transaction.first(row -> row.getString(1), "SELECT directory FROM sandbox_snapshot WHERE id = ?", id));
    }

    /** Returns what its children inherit; empty if it is gone. */
    public Optional<Inheritance> inheritance(long id) {
        return catalog.read(transaction -> {
            Optional<MainCommand> main = COMMANDS.read(transaction, id);
            return transaction.first(
                    row -> new Inheritance(policies(row), Optional.ofNullable(row.getString("name_server")), main),
                    "SELECT * FROM sandbox_snapshot WHERE id = ?",
                    id);
        });
    }

    private static SandboxPolicies policies(ResultSet row) throws SQLException {
        return new SandboxPolicies(
                SandboxRows.duration(row, "max_duration"),
                SandboxRows.duration(row, "idle_timeout"),
                Duration.ofMillis(row.getLong("start_timeout")),
                RestartPolicy.no(),
                SandboxPolicies.DEFAULT_KEPT_RUNS,
                SandboxRows.isolation(row),
                SandboxPolicies.OnDeadline.valueOf(row.getString("on_deadline")),
                SandboxRows.throttle(row));
    }

    private static SandboxSnapshot snapshot(ResultSet row) throws SQLException {
        OptionalLong pause = nanos(row);
        return new SandboxSnapshot(
                row.getLong("id"),
                Optional.ofNullable(row.getString("name")),
                SnapshotStatus.valueOf(row.getString("status")),
                SandboxSnapshot.Contents.valueOf(row.getString("contents")),
                row.getString("source"),
                row.getString("image"),
                row.getString("manifest"),
                row.getInt("memory_mib"),
                row.getInt("cpus"),
                SandboxRows.number(row, "disk_mib"),
                row.getInt("network") == 1,
                row.getInt("prepared") == 1,
                pause.isPresent() ? Optional.of(Duration.ofNanos(pause.getAsLong())) : Optional.empty(),
                Instant.ofEpochMilli(row.getLong("created_at")));
    }

    private static OptionalLong nanos(ResultSet row) throws SQLException {
        long value = row.getLong("pause_nanos");
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
