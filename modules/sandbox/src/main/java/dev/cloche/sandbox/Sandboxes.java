package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.SandboxLocks.Claim;
import dev.cloche.vm.GuestConnectionLostException;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmNotFoundException;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmStateException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Starts, finds, stops and removes sandboxes. Safe for use from several threads; several processes may work on one state
 * root at once.
 *
 * <p>A sandbox is recorded, with the id of its VM, before anything of it exists, so whoever looks later finds all that a
 * dead process left behind. What is recorded is held against what runs whenever it is read.
 *
 * <p>Besides {@link SandboxException}s, methods throw those of images, VMs and the catalog as they are.
 */
public final class Sandboxes implements AutoCloseable {
    private static final Duration CLOCK_LIMIT = Duration.ofSeconds(10);

    private final SweepStore sweeps;
    private final Foundations ground;
    private final SandboxEnds ends;
    private final Templates templates;
    private final Makers makers;
    private final Pools pools;
    private final SandboxEvents events;
    private final SnapshotGround snapshotGround;
    private final SandboxSnapshots snapshots;
    private final Set<RunningSandbox> open = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Keeper keeper;

    /** Does not own what it is given: close it before them. */
    public Sandboxes(Path stateRoot, Catalog catalog, ImageStore images, VmProvider vms, Clock clock) {
        this(stateRoot, catalog, images, vms, clock, new TemplateMaking.Never());
    }

    /** The same, which has templates made as {@code making} says. */
    public Sandboxes(
            Path stateRoot, Catalog catalog, ImageStore images, VmProvider vms, Clock clock, TemplateMaking making) {
        templates = new Templates(stateRoot.resolve("templates"), vms, clock);
        makers = new Makers(templates, making);
        pools = new Pools(stateRoot, catalog, images, vms, templates, clock, making);
        Beginnings beginnings = new Beginnings(vms, templates, makers, pools.starts(), clock);
        EventBell bell = EventBell.in(stateRoot);
        SandboxStore store = new SandboxStore(catalog, clock, bell::ring);
        sweeps = new SweepStore(catalog, clock, bell::ring);
        ground = new Foundations(store, SandboxLocks.in(stateRoot, store), images, vms, clock, beginnings);
        ends = new SandboxEnds(ground);
        events = new SandboxEvents(store, bell);
        snapshotGround = new SnapshotGround(
                ground,
                new SnapshotStore(catalog, clock),
                stateRoot.toAbsolutePath().resolve("sandbox-snapshots"));
        snapshots = new SandboxSnapshots(snapshotGround, ends, new Hands());
    }

    /** What snapshots need of the sandboxes of this process. */
    private final class Hands implements SandboxSnapshots.Hands {
        @Override
        public Optional<Vm> vmOf(long sandbox) {
            Keeper mine = keeper;
            Optional<Vm> kept = mine == null ? Optional.empty() : mine.vmOf(sandbox);
            return kept.or(() ->
                    open.stream().filter(own -> own.id() == sandbox).findAny().flatMap(RunningSandbox::ownVm));
        }

        @Override
        public RunningSandbox own(SandboxStart.Started started, MainCommand main) {
            return Sandboxes.this.own(started, main);
        }

        @Override
        public SandboxRecord letRun(SandboxStart.Started started) {
            return Sandboxes.this.letRun(started);
        }
    }

    Foundations ground() {
        return ground;
    }

    /** The tables of this room, for opening the catalog. */
    public static CatalogSchema schema() {
        return SandboxStore.SCHEMA;
    }

    /** The tables of their snapshots, which are versioned for themselves. */
    public static CatalogSchema snapshotSchema() {
        return SnapshotStore.SCHEMA;
    }

    /** What is kept of sandboxes, and begins as sandboxes again. */
    public SandboxSnapshots snapshots() {
        return snapshots;
    }

    /** What keeps these records true and leftovers away. Does nothing before it is asked to; close it before this. */
    public SandboxMaintenance maintenance(MaintenanceLimits limits) {
        return new SandboxMaintenance(ground, sweeps, new SnapshotSweep(snapshotGround), limits);
    }

    /**
     * Owns, from now until this is closed, the detached sandboxes that no other process owns: acts on their idle timeouts and
     * restart policies, and sees their ends. For a process that is there to stay; to be called once.
     */
    public void keep() {
        Keeper mine = new Keeper(ground, ends, events);
        keeper = mine;
        mine.start();
        pools.keeper().wanted();
    }

    /** What happens to the sandboxes of this state root. */
    public SandboxEvents events() {
        return events;
    }

    /**
     * Starts a sandbox that ends with this process, and returns when its guest answers. If that fails or the thread is
     * interrupted, nothing is left of it.
     *
     * @throws SandboxException.NameInUse if another sandbox has the name
     */
    public RunningSandbox start(SandboxSpec spec, PullListener listener, Deadline deadline) {
        HostLimits.check(spec);
        StartPlan plan = StartPlan.of(spec, CommandOptions.none());
        SandboxStart.Started started = new SandboxStart(ground, ends, plan, listener, deadline).attached(spec);
        return own(started, plan.main());
    }

    private RunningSandbox own(SandboxStart.Started started, MainCommand main) {
        RunningSandbox sandbox = RunningSandbox.owned(ground, ends, started, main, open::remove);
        open.add(sandbox);
        sandbox.watch();
        return sandbox;
    }

    /**
     * Starts a sandbox that outlives this process and ends with its main command, and returns when that runs. If that
     * fails or the thread is interrupted, nothing is left of it.
     *
     * @return its record as of then; the command may have ended already
     * @throws SandboxException.NameInUse if another sandbox has the name
     * @throws SandboxException.NoCommand if neither {@code spec} nor the image names a command
     */
    public SandboxRecord startDetached(
            SandboxSpec spec, CommandOptions main, PullListener listener, Deadline deadline) {
        HostLimits.check(spec);
        StartPlan plan = StartPlan.of(spec, main);
        return letRun(new SandboxStart(ground, ends, plan, listener, deadline).detached(spec));
    }

    /** A detached sandbox is kept by a process that is there to stay, and otherwise let go of. */
    private SandboxRecord letRun(SandboxStart.Started started) {
        Keeper mine = keeper;
        if (mine != null) {
            mine.keep(started.record(), started.vm(), started.lock());
        } else {
            started.vm().close();
            started.lock().close();
        }
        return started.record();
    }

    /**
     * Records a sandbox with its image, for {@link #start(String, PullListener, Deadline)}. If that fails nothing is left of
     * it.
     *
     * @throws SandboxException.NameInUse if another sandbox has the name
     */
    public SandboxRecord create(SandboxSpec spec, CommandOptions main, PullListener listener, Deadline deadline) {
        HostLimits.check(spec);
        StartPlan plan = StartPlan.of(spec, main);
        SandboxStore.NewSandbox row = new SandboxStore.NewSandbox(plan.name(), spec, plan.main());
        NewSandboxes.Place place = new NewSandboxes(ground, ends).claim(row, Optional.empty());
        try (OwnerLock lock = place.lock()) {
            try {
                ImageDisk disk = ground.images()
                        .acquire(
                                plan.image(),
                                plan.pullPolicy(),
                                Foundations.holder(place.id(), plan.name()),
                                listener,
                                deadline.orAfter(plan.timeout()));
                ground.store().imageFound(place.id(), disk.manifest().toString());
            } catch (Throwable failure) {
                ground.store().doom(place.id());
                ends.cleanUnder(lock, place.id());
                throw failure;
            }
        }
        return get(plan.name());
    }

    /**
     * Starts a sandbox that was created, or has ended: detached, with the image and the main command that it has. One that runs
     * is left as it is.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.NotRunning if it is paused or ending
     * @throws SandboxException.UnknownCommand if an older Cloche made it
     */
    public SandboxRecord start(String name, PullListener listener, Deadline deadline) {
        SandboxRecord record = get(name);
        return switch (record.status()) {
            case RUNNING -> record;
            case STARTING -> throw new SandboxException.Starting(name);
            case PAUSED, DRAINING -> throw new SandboxException.NotRunning(name, record.status());
            case CREATED, STOPPED, CRASHED -> startAgain(record, listener, deadline);
        };
    }

    private SandboxRecord startAgain(SandboxRecord record, PullListener listener, Deadline deadline) {
        MainCommand main = ground.store()
                .mainCommand(record.id())
                .orElseThrow(() -> new SandboxException.UnknownCommand(record.name()));
        Claim claim = claim(record, deadline);
        return switch (claim) {
            case Claim.Gone() -> throw new SandboxException.NotFound(record.name());
            case Claim.Held() -> throw new SandboxException.Owned(record.name());
            case Claim.Taken(OwnerLock lock, SandboxRecord now) -> {
                if (now.status().active() || (now.ephemeral() && now.status().terminal())) {
                    lock.close();
                    throw now.status().active()
                            ? new SandboxException.Starting(now.name())
                            : new SandboxException.NotFound(now.name());
                }
                yield letRun(
                        new SandboxStart(ground, ends, StartPlan.again(now, main, network(now)), listener, deadline)
                                .again(now, lock, 0));
            }
        };
    }

    private Claim claim(SandboxRecord record, Deadline deadline) {
        try {
            return ground.locks().claim(record, deadline.orAfter(SandboxEnds.RELEASE_LIMIT));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Claim.Held();
        }
    }

    /** What sandboxes get their VMs from without a wait. */
    public Pools pools() {
        return pools;
    }

    /** What sandboxes are restored from in place of a boot. */
    public Templates templates() {
        return templates;
    }

    /**
     * Makes the template of an image and a size, unless there is one. Sandboxes of them are restored from it from then on.
     *
     * @param spec of which only the image, its pull policy, the size, the disk and whether there is a network matter
     * @return the template; empty if another process makes it just now
     */
    public Optional<Template> makeTemplate(SandboxSpec spec, PullListener listener, Deadline deadline) {
        return new TemplateRequest(ground, templates, spec).perform(listener, deadline);
    }

    /** All sandboxes, the newest first. */
    public List<SandboxRecord> list() {
        return list(SandboxFilter.all()).sandboxes();
    }

    /** The sandboxes that a filter asks for, the newest first. */
    public SandboxPage list(SandboxFilter filter) {
        List<SandboxRecord> found = ground.store().list(filter);
        List<SandboxRecord> settled = found.stream()
                .flatMap(record -> ends.settled(record).stream())
                .filter(record ->
                        filter.statuses().isEmpty() || filter.statuses().contains(record.status()))
                .toList();
        return new SandboxPage(
                settled,
                found.size() < filter.limit()
                        ? OptionalLong.empty()
                        : OptionalLong.of(found.getLast().id()));
    }

    /**
     * One sandbox.
     *
     * @throws SandboxException.NotFound if there is none of that name
     */
    public SandboxRecord get(String name) {
        return ground.store()
                .byName(name)
                .flatMap(ends::settled)
                .orElseThrow(() -> new SandboxException.NotFound(name));
    }

    /**
     * All that is recorded of one sandbox.
     *
     * @throws SandboxException.NotFound if there is none of that name
     */
    public SandboxDetails inspect(String name) {
        return ground.store().details(get(name));
    }

    /**
     * The network that a sandbox gets at every start, with its ports as they were asked for.
     */
    public NetworkSpec network(SandboxRecord sandbox) {
        return ground.store().network(sandbox.id());
    }

    /** The ports that are published of a sandbox as long as it runs, with those of the host that it has got. */
    public List<PublishedPort> publishedPorts(SandboxRecord sandbox) {
        return sandbox.status().active()
                ? sandbox.latestRun()
                        .map(run -> ground.vms().publishedPorts(run.vm()))
                        .orElse(List.of())
                : List.of();
    }

    /**
     * Connects to a running sandbox of any process.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.NotRunning if it has no guest that answers
     */
    public RunningSandbox connect(String name, Deadline deadline) {
        return connect(get(name), EnumSet.of(SandboxStatus.RUNNING), deadline);
    }

    /**
     * Connects to a running sandbox whatever it is called by now, or to one that is ending, where what has begun can be gone
     * on with.
     *
     * @param id its number, which no other sandbox ever has
     * @throws SandboxException.NotFound if there is none of that number any more
     * @throws SandboxException.NotRunning if it has no guest that answers
     */
    public RunningSandbox connect(long id, Deadline deadline) {
        return connect(
                ground.store()
                        .byId(id)
                        .flatMap(ends::settled)
                        .orElseThrow(() -> new SandboxException.NotFound("number " + id)),
                EnumSet.of(SandboxStatus.RUNNING, SandboxStatus.DRAINING),
                deadline);
    }

    private RunningSandbox connect(SandboxRecord record, Set<SandboxStatus> wanted, Deadline deadline) {
        String name = record.name();
        if (!wanted.contains(record.status())) {
            throw new SandboxException.NotRunning(name, record.status());
        }
        ImageConfig config = ground.images()
                .heldConfig(Foundations.holder(record.id(), name))
                .orElseThrow(() -> new SandboxException.NotRunning(name, record.status()));
        try {
            return RunningSandbox.connected(
                    ground, ends, record, ground.vms().connect(SandboxEnds.vmOf(record), deadline), config);
        } catch (VmNotFoundException | VmStateException | GuestConnectionLostException lost) {
            throw notConnected(record, lost);
        }
    }

    /** A lost connection to a VM that is alive is what it is; everything else is the end of the sandbox. */
    private RuntimeException notConnected(SandboxRecord record, VmException lost) {
        SandboxRecord now = get(record.name());
        boolean alive = ground.vms()
                .get(SandboxEnds.vmOf(now))
                .filter(vm -> vm.state().live())
                .isPresent();
        return alive ? lost : new SandboxException.NotRunning(now.name(), now.status());
    }

    /**
     * What the main command of a detached sandbox writes or wrote in its latest run, also after its end.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.NotLogged if it was not started detached
     */
    public OutputLog outputLog(String name) {
        SandboxRecord record = get(name);
        if (!record.latestRun().map(RunRecord::detached).orElse(false)) {
            throw new SandboxException.NotLogged(name);
        }
        try {
            return ground.vms().outputLog(SandboxEnds.vmOf(record));
        } catch (VmNotFoundException removedMeanwhile) {
            throw new SandboxException.NotFound(name);
        }
    }

    /**
     * Asks the guest to end, and kills it if it has not done so after {@code grace}. Of a sandbox that does not run, nothing
     * happens.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.Starting if a living process is starting it
     */
    public void stop(String name, Duration grace, Deadline deadline) {
        ends.end(get(name), TerminationReason.SHUTDOWN_REQUESTED, grace, deadline);
    }

    /**
     * Kills a sandbox without asking its guest. Of one that does not run, nothing happens.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.Starting if a living process is starting it
     */
    public void kill(String name, Deadline deadline) {
        ends.end(get(name), TerminationReason.SIGNAL, Duration.ZERO, deadline);
    }

    /**
     * Stops a sandbox, unless it has ended, and starts it again.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.Ephemeral if it would go away when it is stopped
     */
    public SandboxRecord restart(String name, Duration grace, Deadline deadline) {
        SandboxRecord record = get(name);
        if (record.ephemeral()) {
            throw new SandboxException.Ephemeral(name);
        }
        ends.end(record, TerminationReason.SHUTDOWN_REQUESTED, grace, deadline);
        return start(name, PullListener.none(), deadline);
    }

    /**
     * Halts a sandbox in its memory; one that is paused stays so.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.NotRunning if it does not run
     */
    public void pause(String name, Deadline deadline) {
        SandboxRecord record = live(name, SandboxStatus.PAUSED);
        if (record.status() == SandboxStatus.RUNNING) {
            change(record, () -> ground.vms().pause(SandboxEnds.vmOf(record), deadline));
            if (!ground.store().move(record.id(), SandboxStatus.RUNNING, SandboxStatus.PAUSED)) {
                // Whoever ends it meanwhile wants to speak to its guest.
                change(record, () -> ground.vms().resume(SandboxEnds.vmOf(record), deadline));
            }
        }
    }

    /**
     * Lets a paused sandbox go on, with the clock as it is now; one that is not paused does anyway.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.NotRunning if it does not run
     */
    public void resume(String name, Deadline deadline) {
        SandboxRecord record = live(name, SandboxStatus.PAUSED);
        if (record.status() == SandboxStatus.PAUSED) {
            change(record, () -> ground.vms().resume(SandboxEnds.vmOf(record), deadline));
            if (ground.store().move(record.id(), SandboxStatus.PAUSED, SandboxStatus.RUNNING)) {
                setClock(record, deadline.orAfter(CLOCK_LIMIT));
            }
        }
    }

    private SandboxRecord live(String name, SandboxStatus also) {
        SandboxRecord record = get(name);
        if (record.status() != SandboxStatus.RUNNING && record.status() != also) {
            throw new SandboxException.NotRunning(name, record.status());
        }
        return record;
    }

    private void change(SandboxRecord record, Runnable change) {
        try {
            change.run();
        } catch (VmNotFoundException | VmStateException over) {
            throw notConnected(record, over);
        }
    }

    /** A guest's clock stands still while it is halted. */
    private void setClock(SandboxRecord record, Deadline deadline) {
        try (Vm vm = ground.vms().connect(SandboxEnds.vmOf(record), deadline)) {
            vm.guest()
                    .beginConfigure(
                            GuestIdentity.UNCHANGED.withClock(ground.clock().instant()), deadline)
                    .await();
        } catch (ClocheException late) {
            System.getLogger(Sandboxes.class.getName())
                    .log(System.Logger.Level.WARNING, "the clock of sandbox " + record.name() + " is late", late);
        }
    }

    /**
     * Ends a sandbox once the commands in it have finished. Nobody starts further ones in it; its main command is not waited
     * for. Of one that does not run, nothing happens.
     *
     * @param finish until when commands may go on
     * @param grace of the stop that follows
     * @throws SandboxException.NotFound if there is none of that name
     */
    public void drain(String name, Deadline finish, Duration grace) {
        SandboxRecord record = get(name);
        if (record.isLive()) {
            try {
                new Drain(ground, ends).run(record, finish, grace);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SandboxException.Interrupted(name);
            }
        } else if (record.status() == SandboxStatus.STARTING) {
            throw new SandboxException.Starting(name);
        }
    }

    /**
     * Removes a sandbox and all that belongs to it.
     *
     * @param force whether it is killed if it runs
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.StillRunning if it runs and {@code force} is not given
     * @throws SandboxException.Starting if a living process is starting it
     */
    public void remove(String name, boolean force, Deadline deadline) {
        SandboxRecord record = get(name);
        if (record.status().active() && !force) {
            throw new SandboxException.StillRunning(name, record.status());
        }
        ends.end(record, TerminationReason.SHUTDOWN_REQUESTED, Duration.ZERO, deadline);
        Optional<SandboxRecord> ended = ground.store().byId(record.id());
        if (ended.isPresent()) {
            if (ended.get().status().active()) {
                throw new SandboxException.StillRunning(name, ended.get().status());
            }
            ends.remove(ended.get(), deadline);
        }
    }

    /**
     * Gives a sandbox another name. The host name of its guest changes with its next start.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.NameInUse if another sandbox has the new one
     */
    public void rename(String name, String newName) {
        SandboxRecord record = get(name);
        SandboxName.validated(newName);
        if (!name.equals(newName) && !ground.store().rename(record.id(), newName)) {
            throw new SandboxException.NameInUse(
                    newName,
                    ground.store().byName(newName).map(SandboxRecord::status).orElse(SandboxStatus.STOPPED));
        }
    }

    /**
     * Waits until a sandbox is in one of some statuses, or has been in one meanwhile, whichever process brings that about.
     *
     * @return empty if it is gone
     * @throws SandboxException.NotFound if there is none of that name now
     * @throws SandboxException.WaitTooLong if the deadline passes before
     */
    public Optional<StatusReached> await(String name, Set<SandboxStatus> statuses, Deadline deadline) {
        SandboxRecord record = get(name);
        try (StatusWait wait = new StatusWait(ground, ends, events, statuses)) {
            return wait.until(record, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.Interrupted(name);
        }
    }

    /**
     * Ends the sandboxes that were started here, are attached to this process and still run, as
     * {@link RunningSandbox#close()} does, and lets go of the detached ones. All are tried; the first failure is thrown, with the
     * others suppressed.
     */
    @Override
    public void close() {
        Optional<RuntimeException> first = Optional.empty();
        makers.close();
        pools.keeper().close();
        for (RunningSandbox sandbox : open) {
            try {
                sandbox.close();
            } catch (RuntimeException e) {
                first.ifPresent(earlier -> earlier.addSuppressed(e));
                first = first.or(() -> Optional.of(e));
            }
        }
        Keeper mine = keeper;
        if (mine != null) {
            mine.close();
        }
        first.ifPresent(failure -> {
            throw failure;
        });
    }
}
