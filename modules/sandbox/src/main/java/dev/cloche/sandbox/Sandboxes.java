package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.vm.GuestConnectionLostException;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmNotFoundException;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmStateException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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
    private final Foundations ground;
    private final SandboxEnds ends;
    private final Templates templates;
    private final Makers makers;
    private final Set<RunningSandbox> open = ConcurrentHashMap.newKeySet();

    /** Does not own what it is given: close it before them. */
    public Sandboxes(Path stateRoot, Catalog catalog, ImageStore images, VmProvider vms, Clock clock) {
        this(stateRoot, catalog, images, vms, clock, new TemplateMaking.Never());
    }

    /** The same, which has templates made as {@code making} says. */
    public Sandboxes(
            Path stateRoot, Catalog catalog, ImageStore images, VmProvider vms, Clock clock, TemplateMaking making) {
        templates = new Templates(stateRoot.resolve("templates"), vms, clock);
        makers = new Makers(templates, making);
        Beginnings beginnings = new Beginnings(vms, templates, makers, clock);
        ground = new Foundations(new SandboxStore(catalog, clock), images, vms, clock, beginnings);
        ends = new SandboxEnds(ground);
    }

    /** The tables of this room, for opening the catalog. */
    public static CatalogSchema schema() {
        return SandboxStore.SCHEMA;
    }

    /**
     * Starts a sandbox that ends with this process, and returns when its guest answers. If that fails or the thread is
     * interrupted, nothing is left of it.
     *
     * @throws SandboxException.NameInUse if another sandbox has the name
     */
    public RunningSandbox start(SandboxSpec spec, PullListener listener, Deadline deadline) {
        SandboxStart.Started started = new SandboxStart(ground, ends, spec, listener, deadline).attached();
        RunningSandbox sandbox = RunningSandbox.owned(this, ends, started, spec, open::remove);
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
        return new SandboxStart(ground, ends, spec, listener, deadline).detached(main);
    }

    /** What sandboxes are restored from in place of a boot. */
    public Templates templates() {
        return templates;
    }

    /**
     * Makes the template of an image and a size, unless there is one. Sandboxes of them are restored from it from then on.
     *
     * @param spec of which only the image, its pull policy and the size matter
     * @return the template; empty if another process makes it just now
     */
    public Optional<Template> makeTemplate(SandboxSpec spec, PullListener listener, Deadline deadline) {
        return new TemplateRequest(ground, templates, spec).perform(listener, deadline);
    }

    /** All sandboxes, the newest first. */
    public List<SandboxRecord> list() {
        return ground.store().all().stream()
                .flatMap(record -> ends.settled(record).stream())
                .toList();
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
     * Connects to a running sandbox of any process.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.NotRunning if it has no guest that answers
     */
    public RunningSandbox connect(String name, Deadline deadline) {
        SandboxRecord record = get(name);
        if (record.status() != SandboxStatus.RUNNING) {
            throw new SandboxException.NotRunning(name, record.status());
        }
        ImageConfig config = ground.images()
                .heldConfig(Foundations.holder(record.id(), name))
                .orElseThrow(() -> new SandboxException.NotRunning(name, record.status()));
        try {
            return RunningSandbox.connected(
                    this, ends, record, ground.vms().connect(SandboxEnds.vmOf(record), deadline), config);
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
     * What the main command of a detached sandbox writes or wrote, also after its end.
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
     * Asks the guest to end, and kills it if it has not done so after {@code grace}. Of a sandbox that has ended, nothing
     * happens.
     *
     * @throws SandboxException.NotFound if there is none of that name
     * @throws SandboxException.Starting if a living process is starting it
     */
    public void stop(String name, Duration grace, Deadline deadline) {
        ends.stop(get(name), grace, deadline);
    }

    /** Like {@link #stop(String, Duration, Deadline)}; a sandbox that is gone has ended, whoever has its name now. */
    void stop(long id, Duration grace, Deadline deadline) {
        Optional<SandboxRecord> record = ground.store().byId(id).flatMap(ends::settled);
        record.ifPresent(known -> ends.stop(known, grace, deadline));
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
        ends.stop(record, Duration.ZERO, deadline);
        Optional<SandboxRecord> ended = ground.store().byId(record.id());
        if (ended.isPresent()) {
            if (ended.get().status().active()) {
                throw new SandboxException.StillRunning(name, ended.get().status());
            }
            ends.remove(ended.get(), deadline);
        }
    }

    /**
     * Ends the sandboxes that were started here, are attached to this process and still run, as
     * {@link RunningSandbox#close()} does. All are tried; the first failure is thrown, with the others suppressed.
     */
    @Override
    public void close() {
        Optional<RuntimeException> first = Optional.empty();
        makers.close();
        for (RunningSandbox sandbox : open) {
            try {
                sandbox.close();
            } catch (RuntimeException e) {
                first.ifPresent(earlier -> earlier.addSuppressed(e));
                first = first.or(() -> Optional.of(e));
            }
        }
        first.ifPresent(failure -> {
            throw failure;
        });
    }
}
