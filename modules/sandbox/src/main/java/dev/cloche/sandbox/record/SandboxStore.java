package dev.cloche.sandbox.record;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.catalog.WriteDurability;
import dev.cloche.image.ImageDisk;
import dev.cloche.linux.BootTime;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxDetails;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.SandboxFilter;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads and writes the rows of sandboxes and runs. Every change of a status names the statuses that it may change from,
 * so that of several runtimes that race exactly one succeeds.
 */
public final class SandboxStore {
    public static final CatalogSchema SCHEMA = new CatalogSchema(
            "sandbox",
            "META-INF/cloche/migrations/sandbox",
            List.of(
                    CatalogSchema.Migration.additive("sandboxes_and_runs", "sandboxes and their runs"),
                    CatalogSchema.Migration.changing(
                            "lifecycle", "policies, labels, main commands and events of sandboxes", true, true),
                    CatalogSchema.Migration.additive("networks", "networks and published ports"),
                    CatalogSchema.Migration.additive("pools", "pools of warm VMs, and how runs began"),
                    CatalogSchema.Migration.changing("pool_networks", "pools of VMs with a network", true, true),
                    CatalogSchema.Migration.additive("stop_signals", "stop signals, and what had to be killed"),
                    CatalogSchema.Migration.additive("whole_commands", "main commands without an image's entrypoint"),
                    CatalogSchema.Migration.additive("pool_policies", "policies of pools"),
                    CatalogSchema.Migration.additive("command_defaults", "defaults of a sandbox's commands"),
                    CatalogSchema.Migration.additive("staying", "sandboxes that stay until they are stopped"),
                    CatalogSchema.Migration.additive("isolation", "the least of walls that a sandbox accepts"),
                    CatalogSchema.Migration.changing("suspension", "suspended sandboxes", true, true),
                    CatalogSchema.Migration.additive("channel_ports", "ports of sandboxes without a network"),
                    CatalogSchema.Migration.additive("deadlines", "when runs end by their limit"),
                    CatalogSchema.Migration.additive("on_deadline", "what is done at a deadline"),
                    CatalogSchema.Migration.changing("template_pools", "pools of prepared templates", true, false),
                    CatalogSchema.Migration.additive("pool_probes", "what new VMs of pools are asked"),
                    CatalogSchema.Migration.additive("disk_bounds", "limits of the disks of sandboxes")));

    private final Catalog catalog;
    private final Clock clock;
    private final Runnable onEvents;

    /**
     * Creates the store of a catalog.
     *
     * @param onEvents told after each transaction that may have recorded events
     */
    public SandboxStore(Catalog catalog, Clock clock, Runnable onEvents) {
        this.catalog = catalog;
        this.clock = clock;
        this.onEvents = onEvents;
    }

    private <T> T change(Catalog.Work<T, RuntimeException> work) {
        return change(WriteDurability.FORCED, work);
    }

    private <T> T change(WriteDurability durability, Catalog.Work<T, RuntimeException> work) {
        T result = catalog.write(durability, work);
        onEvents.run();
        return result;
    }

    /** Does work that ends or removes, and so has to be possible on a full disk. */
    private <T> T finish(Catalog.Work<T, RuntimeException> work) {
        T result = catalog.writeFromReserve(work);
        onEvents.run();
        return result;
    }

    /** Says whether nothing can be recorded, because the file system is read-only. */
    public boolean readOnly() {
        return catalog.readOnly();
    }

    /** Says what a new sandbox is recorded with. */
    public record NewSandbox(String name, SandboxSpec spec, MainCommand main) {}

    /**
     * Describes the image that a sandbox has got.
     *
     * @param command its own, for people, of which a sandbox is recorded that names none
     */
    public record FoundImage(String manifest, String command) {
        public static FoundImage of(ImageDisk disk) {
            return new FoundImage(disk.manifest().toString(), CommandLine.own(disk.config()));
        }
    }

    /** Says what a new run is recorded with, before anything of it exists. */
    public record NewRun(VmId vm, boolean detached, ProcessIdentity owner) {}

    /**
     * Records a new sandbox, with its first run if there is one; empty if its name is taken. One that starts is on the disk
     * when its start is: what a crash of the host takes back before had no guest yet.
     *
     * @param beforehand done with the name of its directory before any other process can see the row; if it fails,
     *     there is none
     */
    public Optional<Long> insert(NewSandbox sandbox, Optional<NewRun> run, Consumer<String> beforehand) {
        return change(run.isPresent() ? WriteDurability.WITH_NEXT : WriteDurability.FORCED, transaction -> {
            SandboxStatus status = run.isPresent() ? SandboxStatus.STARTING : SandboxStatus.CREATED;
            long now = clock.millis();
            Optional<Long> id = NewRows.insert(transaction, sandbox, status, now);
            if (id.isPresent()) {
                if (run.isPresent()) {
                    insertRun(transaction, id.get(), run.get(), now);
                }
                beforehand.accept(NewRows.directory(sandbox.name(), id.get()));
                EventRows.append(transaction, id.get(), StatusRows.eventOf(status), now);
            }
            return id;
        });
    }

    /** Has the next sandbox get a higher id than this one. */
    public void skipIds(long id) {
        catalog.write(transaction -> {
            RowIds.skip(transaction, "sandbox", id);
            return id;
        });
    }

    private void insertRun(CatalogTransaction transaction, long id, NewRun run, long now) throws SQLException {
        catalog.refuseDuringInstall(transaction);
        NewRows.insertRun(transaction, id, run, now);
    }

    /**
     * Records a further run of a sandbox that does not run; false if it is not in {@code from} any more.
     *
     * @param restarts how often it has been started in a row by its restart policy; 0 if a caller asked for it
     */
    public boolean startAgain(long id, SandboxStatus from, NewRun run, int restarts) {
        return change(transaction -> {
            long now = clock.millis();
            if (!StatusRows.move(transaction, id, from, SandboxStatus.STARTING, now)) {
                return false;
            }
            transaction.update("UPDATE sandbox SET restarts = ? WHERE id = ?", restarts, id);
            insertRun(transaction, id, run, now);
            return true;
        });
    }

    /** Moves a sandbox along the table of transitions; false if it is not in {@code from} any more. */
    public boolean move(long id, SandboxStatus from, SandboxStatus to) {
        return change(transaction -> StatusRows.move(transaction, id, from, to, clock.millis()));
    }

    /**
     * Records that its guest has answered: its guard, the image that it has got, and how it began; nothing if it is not starting any
     * more. Returns its record after that, whose status says which; empty if it is gone.
     *
     * @param deadline when its guard ends it, since the host's boot
     * @param durability of this, and of all that was recorded of the start before
     */
    public Optional<SandboxRecord> running(
            long id,
            Optional<ProcessIdentity> guard,
            Optional<Duration> deadline,
            FoundImage image,
            StartRows.Note note,
            WriteDurability durability) {
        return change(durability, transaction -> {
            long now = clock.millis();
            if (StatusRows.move(transaction, id, SandboxStatus.STARTING, SandboxStatus.RUNNING, now)) {
                NewRows.imageFound(transaction, id, image);
                RunRows.ready(transaction, id, guard, now);
                DeadlineRows.set(transaction, id, deadline);
                StartRows.insert(transaction, id, note);
            }
            return SandboxRows.byId(transaction, id);
        });
    }

    /** Records which image a sandbox has got, and gets again from then on. */
    public void imageFound(long id, FoundImage image) {
        catalog.write(transaction -> {
            NewRows.imageFound(transaction, id, image);
            return id;
        });
    }

    /**
     * Records that the end of a sandbox was asked for, before it is carried out; a process that finds it ended then
     * knows why. The latest request is remembered, because its end is the one that comes.
     *
     * @param from the statuses in which there is anything to ask for
     * @return false if it is in none of them
     */
    public boolean ask(long id, TerminationReason reason, Set<SandboxStatus> from) {
        if (!reason.canBeAsked()) {
            throw new IllegalArgumentException("no end is asked for as " + reason);
        }
        return finish(transaction ->
                StatusRows.drain(transaction, id, from, clock.millis()) && RunRows.ask(transaction, id, reason));
    }

    /** Records that a sandbox is to stay ended that its restart policy would start again. */
    public void giveUp(long id) {
        catalog.writeFromReserve(transaction -> {
            RunRows.giveUp(transaction, id);
            return id;
        });
    }

    /** Records that a sandbox's run outlives the process that started it; false if it has ended. */
    public boolean detach(long id) {
        return change(transaction -> RunRows.detach(transaction, id, clock.millis()));
    }

    /** Records which process has taken a run over; false if it has ended. */
    public boolean adopt(long id, long run, ProcessIdentity owner) {
        return change(transaction -> RunRows.adopt(transaction, id, run, owner, clock.millis()));
    }

    /**
     * Records that a sandbox goes on from a snapshot and from nothing else, and that the snapshot is whole; false if its
     * suspension is over.
     *
     * @param pause for which its guest has been halted
     * @param renewed whether it has its longest duration once more when it goes on, because nothing is left of it
     */
    public boolean suspended(long id, long snapshot, Duration pause, boolean renewed) {
        return change(transaction ->
                SuspensionRows.keep(transaction, id, snapshot, pause, renewed, BootTime.now(), clock.millis()));
    }

    /**
     * Records that a sandbox that is being resumed runs, and that it lets go of its memory, which no run goes on from any more;
     * false if it is not being resumed.
     *
     * @param deadline when its guard ends it, since the host's boot
     */
    public boolean resumed(long id, Optional<ProcessIdentity> guard, Optional<Duration> deadline) {
        return change(transaction -> SuspensionRows.letGo(transaction, id, guard, deadline, clock.millis()));
    }

    /**
     * Records when a sandbox is ended. No process asks for its end, and none sets another deadline, while this does.
     *
     * @param rule says how long it may go on from now, as it is recorded and with what is left of its limit, which may have
     *     passed; what it throws changes nothing
     * @param guard is told so before it is recorded: of a process that dies in between, a sandbox is left that lives no shorter
     *     than is recorded, or as its user last wanted
     * @return when that is, since the host's boot; empty if there is no such sandbox
     */
    public Optional<Duration> setDeadline(
            long id, BiFunction<SandboxRecord, Optional<Duration>, Duration> rule, BiConsumer<VmId, Duration> guard) {
        return catalog.write(transaction -> {
            Optional<SandboxRecord> now = SandboxRows.byId(transaction, id);
            if (now.isEmpty()) {
                return Optional.empty();
            }
            Duration sinceBoot = BootTime.now();
            Optional<Duration> left = DeadlineRows.left(transaction, id, sinceBoot, clock.millis());
            Duration longest = rule.apply(now.get(), left);
            guard.accept(now.get().latestRun().orElseThrow().vm(), longest);
            Optional<Duration> deadline = Optional.of(sinceBoot.plus(longest));
            DeadlineRows.set(transaction, id, deadline);
            return deadline;
        });
    }

    /**
     * Records what its guest may ask of its disk.
     *
     * @param rule says it of the sandbox as it is recorded; what it throws changes nothing
     * @return the sandbox as it is then; empty if there is none
     */
    public Optional<SandboxRecord> throttleDisk(long id, Function<SandboxRecord, WritableLayer.Throttle> rule) {
        return catalog.write(transaction -> {
            Optional<SandboxRecord> now = SandboxRows.byId(transaction, id);
            if (now.isEmpty()) {
                return Optional.empty();
            }
            WritableLayer.Throttle throttle = rule.apply(now.get());
            transaction.update(
                    "UPDATE sandbox SET disk_iops = ?, disk_bps = ? WHERE id = ?",
                    SandboxRows.boxed(throttle.iops()),
                    SandboxRows.boxed(throttle.bytesPerSecond()),
                    id);
            return SandboxRows.byId(transaction, id);
        });
    }

    /** Returns what a suspended sandbox goes on from; empty if it is not suspended. */
    public Optional<Suspended> suspension(long id) {
        return catalog.read(transaction -> SuspensionRows.read(transaction, id));
    }

    /** Returns the sandbox that goes on, or went on last, from a snapshot of this id. */
    public Optional<SandboxRecord> resumedFrom(long snapshot) {
        return catalog.read(transaction -> {
            Optional<Long> id = SuspensionRows.sandboxOf(transaction, snapshot);
            return id.isPresent() ? SandboxRows.byId(transaction, id.get()) : Optional.empty();
        });
    }

    /** Adds how the main command of a run ended, if its end was recorded without that. */
    public boolean mainEnded(VmId vm, Termination main) {
        return catalog.writeFromReserve(transaction -> EndRows.mainEnded(transaction, vm, main));
    }

    /** Records the end of a sandbox's run; false if it is recorded already. */
    public boolean end(long id, Termination termination) {
        return finish(transaction -> EndRows.end(transaction, id, termination, clock.millis()));
    }

    /** Records the end as {@link #end} does; false, and nothing is recorded, if the sandbox is suspended. */
    public boolean endUnlessSuspended(long id, Termination termination) {
        return finish(transaction -> EndRows.endUnlessSuspended(transaction, id, termination, clock.millis()));
    }

    /**
     * Records that a sandbox that does not run is to go, so that no process starts it again and the next that looks
     * finishes a removal that got halfway; false if it is gone or runs.
     */
    public boolean doom(long id) {
        return catalog.writeFromReserve(transaction -> transaction.update("""
                        UPDATE sandbox SET ephemeral = 1,
                               status = CASE status WHEN 'CREATED' THEN 'CRASHED' ELSE status END
                        WHERE id = ? AND status IN ('CREATED', 'STOPPED', 'CRASHED')
                        """, id) == 1);
    }

    /** Records that a sandbox that is being started stays when it ends, from now on. */
    public void keep(long id) {
        catalog.write(transaction ->
                transaction.update("UPDATE sandbox SET ephemeral = 0 WHERE id = ? AND status = 'STARTING'", id));
    }

    /** Removes the row of a sandbox that has ended and is to go; false if it is gone, runs or stays. */
    public boolean deleteEnded(long id) {
        return finish(transaction -> EndRows.delete(transaction, id, clock.millis()));
    }

    /** Gives a sandbox another name; false if that is taken. */
    public boolean rename(long id, String name) {
        return change(transaction -> {
            if (transaction
                    .first(row -> row.getInt(1), "SELECT 1 FROM sandbox WHERE name = ?", name)
                    .isPresent()) {
                return false;
            }
            // Under the name that it had.
            EventRows.append(transaction, id, SandboxEvent.Kind.RENAMED, Optional.empty(), name, clock.millis());
            return transaction.update("UPDATE sandbox SET name = ? WHERE id = ?", name, id) == 1;
        });
    }

    public Optional<SandboxRecord> byName(String name) {
        return catalog.read(transaction -> SandboxRows.byName(transaction, name));
    }

    public Optional<SandboxRecord> byId(long id) {
        return catalog.read(transaction -> SandboxRows.byId(transaction, id));
    }

    /** Lists sandboxes, the newest first. */
    public List<SandboxRecord> list(SandboxFilter filter) {
        return catalog.read(transaction -> SandboxRows.list(transaction, filter));
    }

    /**
     * Returns the sandboxes that an owner may be wanted for: those that run detached, and those that a policy may start
     * again.
     */
    public List<SandboxRecord> unkept() {
        return catalog.read(SandboxRows::unkept);
    }

    /** Returns all runs of a sandbox that are kept, the latest first. */
    public List<RunRecord> runs(long id) {
        return catalog.read(transaction -> RunRows.read(transaction, id));
    }

    /** Removes the row of a run whose end is recorded. */
    public void deleteRun(long run) {
        catalog.writeFromReserve(
                transaction -> transaction.update("DELETE FROM run WHERE id = ? AND status = 'TERMINATED'", run));
    }

    /** Returns the network that it gets, with its ports as they were asked for. */
    public NetworkSpec network(long id) {
        return catalog.read(transaction -> NetworkRows.read(transaction, id));
    }

    /** Returns what a sandbox runs; empty for one of a Cloche that did not record it. */
    public Optional<MainCommand> mainCommand(long id) {
        return catalog.read(transaction -> CommandRows.read(transaction, id));
    }

    /** Returns all that is recorded of a sandbox that has been read. */
    public SandboxDetails details(SandboxRecord sandbox) {
        long id = sandbox.id();
        return catalog.read(transaction -> new SandboxDetails(
                sandbox,
                CommandRows.labels(transaction, id),
                CommandRows.read(transaction, id),
                RunRows.read(transaction, id),
                StartRows.read(transaction, id)));
    }

    /** Records another main command, for the next start. */
    public void changeMain(long id, MainCommand main) {
        catalog.write(transaction -> {
            CommandRows.replace(transaction, id, main);
            return id;
        });
    }

    /** Returns the events after one, the oldest first, as many as are read at once. */
    public List<SandboxEvent> eventsAfter(long id) {
        return catalog.read(transaction -> EventRows.after(transaction, id));
    }

    /** Returns where to begin to read events: behind the latest, or before the first that is not older than this. */
    public long eventsFrom(Optional<Instant> since) {
        return catalog.read(transaction ->
                since.isPresent() ? EventRows.before(transaction, since.get()) : EventRows.latest(transaction));
    }
}
