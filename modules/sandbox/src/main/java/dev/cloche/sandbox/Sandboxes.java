package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmNotFoundException;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmStateException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Starts, finds, stops and removes sandboxes. Safe for use from several threads; several processes may work on one state
 * root at once.
 *
 * <p>A sandbox is recorded, with the id of its VM, before anything of it exists, so whoever looks later finds all that a
 * dead process left behind. What is recorded is held against what runs whenever it is read.
 */
public final class Sandboxes {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
    private static final Duration CONFIGURE_LIMIT = Duration.ofSeconds(30);
    private static final String HOLDER_KIND = "sandbox";

    private final SandboxStore store;
    private final ImageStore images;
    private final VmProvider vms;
    private final Clock clock;

    public Sandboxes(Catalog catalog, ImageStore images, VmProvider vms, Clock clock) {
        this.store = new SandboxStore(catalog, clock);
        this.images = images;
        this.vms = vms;
        this.clock = clock;
    }

    /** The tables of this room, for opening the catalog. */
    public static CatalogSchema schema() {
        return SandboxStore.SCHEMA;
    }

    /**
     * Starts a sandbox that ends with this process, and returns when its guest answers.
     *
     * @throws SandboxException.NameInUse if another sandbox has the name
     */
    public RunningSandbox start(SandboxSpec spec, PullListener listener, Deadline deadline) {
        return new Start(spec, Optional.empty(), listener, deadline).perform();
    }

    /**
     * Starts a sandbox that outlives this process and ends with its main command, and returns when that runs.
     *
     * @throws SandboxException.NameInUse if another sandbox has the name
     * @throws SandboxException.NoCommand if neither {@code spec} nor the image names a command
     */
    public SandboxRecord startDetached(
            SandboxSpec spec, CommandOptions main, PullListener listener, Deadline deadline) {
        try (RunningSandbox sandbox = new Start(spec, Optional.of(main), listener, deadline).perform()) {
            return get(sandbox.name());
        }
    }

    /** All sandboxes, the newest first. */
    public List<SandboxRecord> list() {
        return store.all().stream().flatMap(record -> settled(record).stream()).toList();
    }

    /**
     * One sandbox.
     *
     * @throws SandboxException.NotFound if there is none of that name
     */
    public SandboxRecord get(String name) {
        return store.byName(name).flatMap(this::settled).orElseThrow(() -> new SandboxException.NotFound(name));
    }

    /**
     * Connects to a running sandbox of any process.
     *
     * @throws SandboxException.NotRunning if it has no guest that answers
     */
    public RunningSandbox connect(String name, Deadline deadline) {
        SandboxRecord record = get(name);
        if (record.status() != SandboxStatus.RUNNING) {
            throw new SandboxException.NotRunning(name, record.status());
        }
        ImageConfig config = images.heldConfig(holder(record.id(), name))
                .orElseThrow(() -> new SandboxException.NotRunning(name, record.status()));
        try {
            Vm vm = vms.connect(vmOf(record), deadline);
            return RunningSandbox.connected(this, record, vm, config);
        } catch (VmNotFoundException | VmStateException endedMeanwhile) {
            throw new SandboxException.NotRunning(name, get(name).status());
        }
    }

    /**
     * Asks the guest to end, and kills it if it has not done so after {@code grace}. Of a sandbox that has ended,
     * nothing happens.
     */
    public void stop(String name, Duration grace, Deadline deadline) {
        SandboxRecord record = get(name);
        if (!record.status().active()) {
            return;
        }
        if (record.status() == SandboxStatus.RUNNING) {
            store.move(record.id(), SandboxStatus.RUNNING, SandboxStatus.DRAINING);
        }
        try {
            endVm(record, grace, deadline);
        } catch (VmNotFoundException | VmStateException endedMeanwhile) {
            // As was to be reached.
        }
        observeEnd(record.id(), name);
    }

    /**
     * Removes a sandbox and all that belongs to it.
     *
     * @param force whether it is killed if it runs
     * @throws SandboxException.StillRunning if it runs and {@code force} is not given
     */
    public void remove(String name, boolean force, Deadline deadline) {
        SandboxRecord record = get(name);
        if (record.status().active()) {
            if (!force) {
                throw new SandboxException.StillRunning(name);
            }
            stop(name, Duration.ZERO, deadline);
        }
        current(record.id(), name).ifPresent(this::discard);
    }

    private void endVm(SandboxRecord record, Duration grace, Deadline deadline) {
        VmId id = vmOf(record);
        if (grace.isZero()) {
            vms.kill(id, deadline.orAfter(KILL_LIMIT));
            return;
        }
        try (Vm vm = vms.connect(id, deadline.orAfter(CONFIGURE_LIMIT))) {
            vm.stop(grace, deadline);
        } catch (VmNotFoundException | VmStateException ended) {
            throw ended;
        } catch (ClocheException deaf) {
            // Its guest does not answer, which is no reason to let it live.
            vms.kill(id, deadline.orAfter(KILL_LIMIT));
        }
    }

    /** The record as it is true now; empty if it was ephemeral and has ended. */
    private Optional<SandboxRecord> settled(SandboxRecord record) {
        if (record.status().active()) {
            Optional<Ending> ending = Settlement.of(record, vmInfo(record), ownerAlive(record));
            if (ending.isEmpty()) {
                return Optional.of(record);
            }
            store.end(record.id(), ending.get());
        } else if (!record.ephemeral()) {
            return Optional.of(record);
        }
        return cleaned(record);
    }

    /** Records how the sandbox's VM ended, by what its guard wrote. */
    void observeEnd(long id, String name) {
        current(id, name).ifPresent(record -> {
            vmInfo(record).filter(vm -> !vm.state().live()).ifPresent(vm -> {
                boolean requested = record.status() == SandboxStatus.DRAINING;
                recordEnd(id, vm.exit().map(exit -> Ending.of(exit, requested)).orElseGet(Ending::vanished));
            });
        });
        clean(id, name);
    }

    void recordEnd(long id, Ending ending) {
        store.end(id, ending);
    }

    /** Removes the sandbox if it is ephemeral and over. */
    void clean(long id, String name) {
        current(id, name)
                .filter(record -> record.ephemeral() && record.status().terminal())
                .ifPresent(this::discard);
    }

    private Optional<SandboxRecord> current(long id, String name) {
        return store.byName(name).filter(record -> record.id() == id);
    }

    private Optional<SandboxRecord> cleaned(SandboxRecord record) {
        clean(record.id(), record.name());
        return current(record.id(), record.name());
    }

    /** Removes files before the row, so that a sandbox whose files resist stays visible and is tried again. */
    private void discard(SandboxRecord record) {
        record.latestRun().ifPresent(run -> vms.destroy(run.vm()));
        images.release(holder(record.id(), record.name()));
        store.deleteEnded(record.id());
    }

    private Optional<VmInfo> vmInfo(SandboxRecord record) {
        return record.latestRun().flatMap(run -> vms.get(run.vm()));
    }

    private static boolean ownerAlive(SandboxRecord record) {
        return record.latestRun().map(run -> run.owner().isAlive()).orElse(false);
    }

    private static VmId vmOf(SandboxRecord record) {
        return record.latestRun()
                .map(RunRecord::vm)
                .orElseThrow(() -> new SandboxException.NotRunning(record.name(), record.status()));
    }

    private static ImageHolder holder(long id, String name) {
        return new ImageHolder(HOLDER_KIND, Long.toString(id), name);
    }

    /** One start, from the record to a guest that answers. Whatever fails, nothing of it stays. */
    private final class Start {
        private final SandboxSpec spec;
        private final Optional<CommandOptions> detachedMain;
        private final PullListener listener;
        private final Deadline deadline;
        private final ImageReference reference;
        private final VmId vmId = VmId.random();
        private final long begin = System.nanoTime();

        Start(SandboxSpec spec, Optional<CommandOptions> detachedMain, PullListener listener, Deadline deadline) {
            this.spec = spec;
            this.detachedMain = detachedMain;
            this.listener = listener;
            this.deadline = deadline;
            this.reference = ImageReference.parse(spec.image());
        }

        RunningSandbox perform() {
            String name = spec.name().orElseGet(SandboxName::generated);
            long id = insert(name);
            try {
                ImageDisk disk = images.acquire(reference, spec.pullPolicy(), holder(id, name), listener, deadline);
                long imageReady = System.nanoTime();
                Optional<ExecRequest> mainRequest = detachedMain.map(options ->
                        CommandLine.mainRequest(spec, disk.config(), options).asMain());
                Vm vm = vms.create(vmSpec(disk));
                try {
                    return boot(id, name, disk, vm, mainRequest, imageReady);
                } catch (Throwable failure) {
                    vm.close();
                    throw failure;
                }
            } catch (Throwable failure) {
                forget(id, name, failure);
                throw failure;
            }
        }

        private RunningSandbox boot(
                long id, String name, ImageDisk disk, Vm vm, Optional<ExecRequest> mainRequest, long imageReady) {
            long bootBegin = System.nanoTime();
            vm.start(deadline);
            long booted = System.nanoTime();
            vm.guest().configure(GuestIdentity.fresh(name, clock), deadline.orAfter(CONFIGURE_LIMIT));
            store.move(id, SandboxStatus.STARTING, SandboxStatus.RUNNING);
            SandboxRecord record = current(id, name).orElseThrow(() -> new SandboxException.NotFound(name));
            if (mainRequest.isPresent()) {
                vm.guest().exec(mainRequest.get(), deadline).close();
                vm.detach();
                return RunningSandbox.connected(Sandboxes.this, record, vm, disk.config());
            }
            StartTimings timings = new StartTimings(
                    since(begin, System.nanoTime()), since(begin, imageReady), since(bootBegin, booted));
            return RunningSandbox.owned(Sandboxes.this, record, vm, spec, disk.config(), timings);
        }

        private long insert(String name) {
            SandboxStore.NewSandbox row = new SandboxStore.NewSandbox(
                    name,
                    spec,
                    String.join(" ", spec.command()),
                    vmId,
                    detachedMain.isPresent(),
                    ProcessIdentity.current());
            Optional<Long> id = store.insertStarting(row);
            if (id.isEmpty()) {
                // The holder of the name may be an ephemeral sandbox that has ended and nobody has looked at since.
                Optional<SandboxRecord> other = store.byName(name).flatMap(Sandboxes.this::settled);
                if (other.isPresent()) {
                    throw new SandboxException.NameInUse(name, other.get().status());
                }
                id = store.insertStarting(row);
            }
            return id.orElseThrow(() -> new SandboxException.NameInUse(name, SandboxStatus.STARTING));
        }

        private VmSpec vmSpec(ImageDisk disk) {
            VmSpec plain = VmSpec.of(vmId, RootDisk.vmdk(disk.vmdk()))
                    .withMemoryMiB(spec.memoryMib())
                    .withCpus(spec.cpus());
            return spec.maxDuration().map(plain::withMaxDuration).orElse(plain);
        }

        private void forget(long id, String name, Throwable failure) {
            try {
                store.end(id, Ending.vanished());
                current(id, name).ifPresent(Sandboxes.this::discard);
            } catch (ClocheException second) {
                failure.addSuppressed(second);
            }
        }

        private static Duration since(long begin, long end) {
            return Duration.of(end - begin, TimeUnit.NANOSECONDS.toChronoUnit());
        }
    }
}
