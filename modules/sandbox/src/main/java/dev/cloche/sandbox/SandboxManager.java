package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.base.OperationListener;
import dev.cloche.base.Operations;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.lifecycle.CreateRequest;
import dev.cloche.sandbox.lifecycle.DeadlineRequest;
import dev.cloche.sandbox.lifecycle.DiskThrottleRequest;
import dev.cloche.sandbox.lifecycle.OwnedSandboxes;
import dev.cloche.sandbox.lifecycle.RemoveRequest;
import dev.cloche.sandbox.lifecycle.RenameRequest;
import dev.cloche.sandbox.lifecycle.Replacement;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxDrain;
import dev.cloche.sandbox.lifecycle.SandboxPause;
import dev.cloche.sandbox.lifecycle.SandboxStart;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.lifecycle.StartPlan;
import dev.cloche.sandbox.lifecycle.StartRequest;
import dev.cloche.sandbox.lifecycle.StatusWait;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.sandbox.snapshot.ResumeRequest;
import dev.cloche.sandbox.snapshot.SnapshotSweep;
import dev.cloche.sandbox.snapshot.SnapshotTaking;
import dev.cloche.sandbox.snapshot.SuspendRequest;
import dev.cloche.sandbox.warm.TemplateRequest;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmIsolation;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Starts, finds, stops and removes sandboxes. Safe for use from several threads; several processes may work on one
 * state root at once.
 *
 * <p>A sandbox is recorded, with the id of its VM, before anything of it exists, so the next process that looks finds
 * all that a dead process left behind. Records are reconciled with what runs whenever they are read.
 *
 * <p>These hold for all methods: {@link SandboxException.NotFound} says that there is no sandbox of that name, {@link
 * SandboxException.NameInUse} that another has the name that one is to get, {@link SandboxException.NotRunning} that it
 * would have to run for that, or has no guest that answers, and {@link SandboxException.Starting} that a living process
 * is just starting it. What images, VMs and the catalog throw comes as it is.
 */
public final class SandboxManager implements AutoCloseable {
    private final SandboxParts parts;
    final SandboxContext context;
    private final SandboxTerminator terminator;
    private final OwnedSandboxes owned;
    private final SandboxSnapshots snapshots;

    /** Makes a manager that does not own what it is given: close it before them. */
    public SandboxManager(Path stateRoot, Catalog catalog, ImageStore images, VmProvider vms, Clock clock) {
        this(
                stateRoot,
                catalog,
                images,
                vms,
                clock,
                new TemplateMaking.Never(),
                SandboxPools.Settings.defaults(),
                Operations.heardBy(OperationListener.none()));
    }

    /**
     * Makes the same, which has templates made as {@code making} says, pools kept as {@code pools} says, and starts, commands
     * and snapshots told to {@code operations}.
     */
    public SandboxManager(
            Path stateRoot,
            Catalog catalog,
            ImageStore images,
            VmProvider vms,
            Clock clock,
            TemplateMaking making,
            SandboxPools.Settings pools,
            Operations operations) {
        parts = SandboxParts.in(stateRoot, catalog, images, vms, clock, making, pools, operations);
        context = parts.context();
        terminator = parts.terminator();
        owned = parts.owned();
        snapshots = new SandboxSnapshots(parts);
    }

    /** Returns the tables of this room, for opening the catalog. */
    public static CatalogSchema schema() {
        return SandboxStore.SCHEMA;
    }

    /** Returns the tables of their snapshots, which are versioned for themselves. */
    public static CatalogSchema snapshotSchema() {
        return SnapshotStore.SCHEMA;
    }

    /** Returns the snapshots: what is kept of sandboxes, and begins as sandboxes again. */
    public SandboxSnapshots snapshots() {
        return snapshots;
    }

    /**
     * Returns the maintenance that reconciles these records and removes leftovers. Does nothing before it is asked to;
     * close it before this.
     */
    public SandboxMaintenance maintenance(MaintenanceLimits limits) {
        return new SandboxMaintenance(
                context,
                parts.sweeps(),
                new SnapshotSweep(parts.snapshots()),
                parts.unfinished(),
                owned::suspendHeld,
                limits);
    }

    /**
     * Finds what no record has.
     *
     * @param elsewhere the VMs that others have recorded, asked after all VMs were listed
     */
    public Orphans orphans(Supplier<Set<VmId>> elsewhere) {
        return new Orphans(parts, MaintenanceLimits.defaults().ownerGrace(), elsewhere);
    }

    /**
     * Owns, from now until this is closed, the detached sandboxes that no other process owns: acts on their idle timeouts and
     * restart policies, and sees their ends. For a process that is there to stay; to be called once.
     */
    public void keep() {
        owned.keep();
        parts.pools().keep();
    }

    /** Returns the events of the sandboxes of this state root. */
    public SandboxEvents events() {
        return parts.events();
    }

    /**
     * Starts a sandbox that ends with this process, and returns when its guest answers. If that fails or the thread is
     * interrupted, nothing is left of it.
     */
    public RunningSandbox start(SandboxSpec spec, PullListener listener, Deadline deadline) {
        StartPlan plan = StartPlan.of(spec, CommandOptions.none());
        return owned.own(new SandboxStart(context, terminator, plan, listener, deadline).attached(spec), plan.main());
    }

    /**
     * Starts a sandbox that outlives this process and ends with its main command, and returns when that runs. If that
     * fails or the thread is interrupted, nothing is left of it.
     *
     * @return its record as of then; the command may have ended already
     * @throws SandboxException.NoCommand if neither {@code spec} nor the image names a command
     */
    public SandboxRecord startDetached(
            SandboxSpec spec, CommandOptions main, PullListener listener, Deadline deadline) {
        StartPlan plan = StartPlan.of(spec, main);
        return owned.letRun(new SandboxStart(context, terminator, plan, listener, deadline).detached(spec));
    }

    /**
     * Records a sandbox with its image, for {@link #start(String, PullListener, Deadline)}. If that fails nothing is left of
     * it.
     */
    public SandboxRecord create(SandboxSpec spec, CommandOptions main, PullListener listener, Deadline deadline) {
        StartPlan plan = StartPlan.of(spec, main);
        new CreateRequest(context, terminator, spec, plan).perform(listener, deadline);
        return get(plan.name());
    }

    /**
     * Starts a sandbox that was created, or has ended: detached, with the image and the main command that it has. One that runs
     * is left as it is.
     *
     * @throws SandboxException.NotRunning if it is paused or ending
     * @throws SandboxException.UnknownCommand if an older Cloche made it
     */
    public SandboxRecord start(String name, PullListener listener, Deadline deadline) {
        return start(name, Duration.ZERO, listener, deadline);
    }

    /**
     * Starts a sandbox as the other method does.
     *
     * @param waitForRoom how long it waits, in turn, while the host's limits leave no room; not negative
     * @throws SandboxException.InvalidSpecification if that is negative
     */
    public SandboxRecord start(String name, Duration waitForRoom, PullListener listener, Deadline deadline) {
        SandboxSpec.requireWait(waitForRoom);
        SandboxRecord record = get(name);
        if (record.status() == SandboxStatus.SUSPENDED) {
            return goOn(record, Secrets.none(), waitForRoom, listener, deadline);
        }
        return new StartRequest(context, terminator, owned, record, waitForRoom).perform(listener, deadline);
    }

    /**
     * Gives up the memory of a suspended sandbox, and starts it from its disk, in a new run.
     *
     * @throws SandboxException.NotRunning if it is not suspended
     * @throws SandboxException.InvalidSpecification if it has no disk that lasts
     */
    public SandboxRecord startFromDisk(String name, PullListener listener, Deadline deadline) {
        SandboxRecord record = get(name);
        if (record.status() != SandboxStatus.SUSPENDED) {
            throw new SandboxException.NotRunning(name, record.status());
        }
        if (context.vms().disks().find(context.locks().directory(record).disk()).isEmpty()) {
            throw new SandboxException.InvalidSpecification(
                    "The sandbox \"" + name + "\" has no disk that it could be started from.",
                    "Let it go on with: cloche.sandboxes().resume(\"" + name + "\")");
        }
        end(record, TerminationReason.SHUTDOWN_REQUESTED, Duration.ZERO, deadline);
        return start(name, listener, deadline);
    }

    /** Returns the pools that sandboxes get their VMs from without a wait. */
    public SandboxPools pools() {
        return parts.pools();
    }

    /** Returns the templates that sandboxes are restored from in place of a boot. */
    public TemplateStore templates() {
        return parts.templates();
    }

    /**
     * Makes the template of an image and a size, unless there is one. Sandboxes of them are restored from it from then on.
     *
     * @param spec of which only the image, its pull policy, the size, the disk and whether there is a network matter
     * @return the template; empty if another process makes it just now
     */
    public Optional<Template> makeTemplate(SandboxSpec spec, PullListener listener, Deadline deadline) {
        return new TemplateRequest(context.images(), parts.templates(), context.clock(), spec)
                .perform(listener, deadline);
    }

    /** Returns all sandboxes, the newest first. */
    public List<SandboxRecord> list() {
        return list(SandboxFilter.all()).sandboxes();
    }

    /** Returns the sandboxes that a filter asks for, the newest first. */
    public SandboxPage list(SandboxFilter filter) {
        return parts.settled().list(filter);
    }

    /** Returns one sandbox. */
    public SandboxRecord get(String name) {
        return parts.settled().named(name);
    }

    /**
     * Returns one sandbox by its number, also if it was renamed.
     *
     * @throws SandboxException.NotFound if there is none of that number any more
     */
    public SandboxRecord get(long id) {
        return parts.settled().numbered(id);
    }

    /** Returns what a sandbox can be found by. */
    public Map<String, String> labels(long id) {
        return context.store().details(get(id)).labels();
    }

    /** Returns all that is recorded of one sandbox. */
    public SandboxDetails inspect(String name) {
        return context.store().details(get(name));
    }

    /** Returns the ports that are published of a sandbox as long as it runs, with those of the host that it has got. */
    public List<PublishedPort> publishedPorts(SandboxRecord sandbox) {
        return parts.connections().publishedPorts(sandbox);
    }

    /**
     * Returns why a sandbox does not work at present although it runs, as its guard knows; empty if it does, or does
     * not run.
     */
    public Optional<VmHindrance> hindrance(SandboxRecord sandbox) {
        return parts.connections().hindrance(sandbox);
    }

    /** Returns what stands between a sandbox's VM and the host; empty if it does not run. */
    public Optional<VmIsolation> isolation(SandboxRecord sandbox) {
        return parts.connections().isolation(sandbox);
    }

    /** Connects to a running sandbox of any process. */
    public RunningSandbox connect(String name, Deadline deadline) {
        return parts.connections().connect(get(name), EnumSet.of(SandboxStatus.RUNNING), deadline);
    }

    /**
     * Connects to a running sandbox by its number, also if it was renamed, or to one that is ending, where what has
     * begun can be gone on with.
     *
     * @param id its number, which no other sandbox ever has
     * @throws SandboxException.NotFound if there is none of that number any more
     */
    public RunningSandbox connect(long id, Deadline deadline) {
        Set<SandboxStatus> wanted = EnumSet.of(SandboxStatus.RUNNING, SandboxStatus.DRAINING);
        return parts.connections().connect(parts.settled().numbered(id), wanted, deadline);
    }

    /**
     * Returns what the main command of a detached sandbox writes or wrote in its latest run, also after its end.
     *
     * @throws SandboxException.NotLogged if it was not started detached
     */
    public OutputLog outputLog(String name) {
        return parts.connections().outputLog(get(name));
    }

    /**
     * Asks the guest to end, and kills it if it has not done so after {@code grace}. Of a sandbox that does not run, nothing
     * happens.
     */
    public void stop(String name, Duration grace, Deadline deadline) {
        end(get(name), TerminationReason.SHUTDOWN_REQUESTED, grace, deadline);
    }

    private void end(SandboxRecord record, TerminationReason reason, Duration grace, Deadline deadline) {
        terminator.end(record, reason, grace, deadline);
        if (record.status() == SandboxStatus.SUSPENDED) {
            // Its memory is what its user wants to be rid of.
            new SnapshotSweep(parts.snapshots()).run(deadline.orAfter(SnapshotTaking.LIMIT));
        }
    }

    /** Kills a sandbox without asking its guest. Of one that does not run, nothing happens. */
    public void kill(String name, Deadline deadline) {
        end(get(name), TerminationReason.SIGNAL, Duration.ZERO, deadline);
    }

    /**
     * Stops a sandbox, unless it has ended, and starts it again.
     *
     * @throws SandboxException.Ephemeral if it would go away when it is stopped
     */
    public SandboxRecord restart(String name, Duration grace, Deadline deadline) {
        SandboxRecord record = get(name);
        if (record.ephemeral()) {
            throw new SandboxException.Ephemeral(name);
        }
        end(record, TerminationReason.SHUTDOWN_REQUESTED, grace, deadline);
        return start(name, PullListener.none(), deadline);
    }

    /** Halts a sandbox in its memory; one that is paused stays so. */
    public void pause(String name, Deadline deadline) {
        new SandboxPause(context, parts.connections(), get(name)).begin(deadline);
    }

    /**
     * Lets a paused or suspended sandbox go on, with the clock as it is now; one that is neither does anyway.
     *
     * @throws SandboxException.MemoryGone if it is suspended, and its memory is gone
     * @throws dev.cloche.vm.SnapshotException.Mismatch if its memory would not run here
     */
    public void resume(String name, Deadline deadline) {
        resume(name, Secrets.none(), deadline);
    }

    /**
     * Lets a sandbox go on as the other method does.
     *
     * @param secrets in place of all that a suspended one had; empty if it keeps its own
     * @throws SandboxException.InvalidSpecification if there are secrets for one that is not suspended
     */
    public void resume(String name, Secrets secrets, Deadline deadline) {
        SandboxRecord record = get(name);
        if (record.status() == SandboxStatus.SUSPENDED) {
            var _ = goOn(record, secrets, Duration.ZERO, PullListener.none(), deadline);
        } else if (secrets.isEmpty()) {
            new SandboxPause(context, parts.connections(), record).end(deadline);
        } else {
            throw new SandboxException.InvalidSpecification(
                    "The sandbox \"" + name + "\" is not suspended, so it goes on with the secrets that it has.",
                    "Let it go on without secrets, or make it anew.");
        }
    }

    private SandboxRecord goOn(
            SandboxRecord record, Secrets secrets, Duration waitForRoom, PullListener listener, Deadline deadline) {
        return new ResumeRequest(parts.snapshots(), owned, record, secrets, waitForRoom).perform(listener, deadline);
    }

    /**
     * Writes the memory of a running or paused sandbox to disk and ends its VM: the same sandbox goes on from there when it is
     * resumed, detached. One that is suspended stays so.
     *
     * @throws SandboxException.NotRunning if it neither runs nor is paused
     * @throws SandboxException.OwnedElsewhere if another process owns it
     */
    public void suspend(String name, Deadline deadline) {
        suspend(get(name), false, deadline);
    }

    /** Suspends as the other method does, a sandbox by its number, also if it was renamed. */
    public void suspend(long id, Deadline deadline) {
        suspend(get(id), false, deadline);
    }

    /**
     * Suspends as {@link #suspend(String, Deadline)} does, without its secrets: its guest overwrites and removes them before,
     * and this host forgets them. If the suspension fails afterwards, it goes on without them.
     *
     * @throws SandboxException.NotRunning if its guest is halted, so that it cannot let go of them
     */
    public void suspendWithoutSecrets(String name, Deadline deadline) {
        suspend(get(name), true, deadline);
    }

    /** Suspends as the other method does, a sandbox by its number, also if it was renamed. */
    public void suspendWithoutSecrets(long id, Deadline deadline) {
        suspend(get(id), true, deadline);
    }

    private void suspend(SandboxRecord record, boolean withoutSecrets, Deadline deadline) {
        SnapshotTaking taking = new SnapshotTaking(parts.snapshots(), owned::vmOf);
        // Nothing is left to one that has come to its deadline.
        boolean renewed =
                hindrance(record).filter(why -> why == VmHindrance.HELD).isPresent();
        new SuspendRequest(parts.snapshots(), taking, record, renewed, withoutSecrets).perform(deadline);
    }

    /** Returns when a sandbox is ended by its limit, by the wall clock as it is now; empty if it has none, or does not run. */
    public Optional<Instant> deadline(SandboxRecord sandbox) {
        return DeadlineRequest.of(context, sandbox);
    }

    /**
     * Puts the deadline of a sandbox off, also of one that another process owns.
     *
     * @return the new one
     * @throws SandboxException.NoDeadline if it has none
     * @throws SandboxException.Ending if its end was asked for
     * @throws SandboxException.InvalidSpecification if {@code more} is not positive, or the new one is more than 365 days ahead
     */
    public Instant extend(long id, Duration more) {
        return new DeadlineRequest(context, parts.connections(), get(id)).extend(more);
    }

    /**
     * Gives a sandbox a deadline, earlier or later than one that it has.
     *
     * @return the same, as far as the clocks of the host tell
     * @throws SandboxException.Ending if its end was asked for
     * @throws SandboxException.InvalidSpecification if it has passed, or is more than 365 days ahead
     */
    public Instant deadline(long id, Instant until) {
        return new DeadlineRequest(context, parts.connections(), get(id)).at(until);
    }

    /**
     * Limits what the guest of a sandbox may ask of its disk: at once where it runs, also for another process, and at each later
     * start.
     *
     * @param change of the limits that it has
     * @return it as it is then
     * @throws SandboxException.InvalidSpecification if it writes to its memory
     * @throws SandboxException.Owned if another process is just working on it up to the deadline
     */
    public SandboxRecord limitDisk(long id, UnaryOperator<WritableLayer.Throttle> change, Deadline deadline) {
        return new DiskThrottleRequest(context, get(id)).perform(change, deadline);
    }

    /**
     * Ends a sandbox once the commands in it have finished. No further ones can be started in it; its main command is
     * not waited for. Of one that does not run, nothing happens.
     *
     * @param finish until when commands may go on
     * @param grace of the stop that follows
     */
    public void drain(String name, Deadline finish, Duration grace) {
        new SandboxDrain(context, terminator).run(get(name), finish, grace);
    }

    /**
     * Removes a sandbox and all that belongs to it.
     *
     * @param force whether it is killed if it runs
     * @throws SandboxException.StillRunning if it runs and {@code force} is not given
     */
    public void remove(String name, boolean force, Deadline deadline) {
        remove(get(name), force, deadline);
    }

    private void remove(SandboxRecord record, boolean force, Deadline deadline) {
        new RemoveRequest(context, terminator, record, force).perform(deadline);
        if (record.status() == SandboxStatus.SUSPENDED) {
            new SnapshotSweep(parts.snapshots()).run(deadline.orAfter(SnapshotTaking.LIMIT));
        }
    }

    /**
     * Does what makes a sandbox. If one that does not run has its name, or an attached one whose process is gone, removes that
     * first, as {@link #remove} does.
     *
     * @throws SandboxException.NameInUse if one that runs has the name
     */
    public <T> T replacing(String name, Supplier<T> start) {
        Replacement replacement = new Replacement(context.locks());
        return replacement.perform(start, () -> {
            // Not by its name: another process may have replaced it meanwhile.
            SandboxRecord held = get(name);
            remove(held, replacement.endsAnyway(held), Deadline.none());
        });
    }

    /** Gives a sandbox another name. The host name of its guest changes with its next start. */
    public void rename(String name, String newName) {
        new RenameRequest(context.store(), get(name), newName).perform();
    }

    /**
     * Waits until a sandbox is in one of some statuses, or has been in one meanwhile, brought about by this process or
     * another.
     *
     * @return empty if it is gone
     * @throws SandboxException.WaitTooLong if the deadline passes before
     */
    public Optional<StatusReached> await(String name, Set<SandboxStatus> statuses, Deadline deadline) {
        SandboxRecord record = get(name);
        try (StatusWait wait = new StatusWait(context, terminator, parts.events(), statuses)) {
            return wait.until(record, deadline);
        }
    }

    /**
     * Ends the sandboxes that were started here, are attached to this process and still run, as
     * {@link RunningSandbox#close()} does, and lets go of the detached ones. All are tried; the first failure is thrown, with
     * the others suppressed.
     */
    @Override
    public void close() {
        parts.close();
    }
}
