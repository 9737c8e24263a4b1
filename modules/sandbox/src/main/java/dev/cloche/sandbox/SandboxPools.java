package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolListener;
import dev.cloche.pool.PoolShelf;
import dev.cloche.pool.Preparation;
import dev.cloche.pool.WarmPool;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.PoolStore;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.sandbox.warm.KeptPools;
import dev.cloche.sandbox.warm.PoolFill;
import dev.cloche.sandbox.warm.PoolFilling;
import dev.cloche.sandbox.warm.PoolPreparations;
import dev.cloche.sandbox.warm.PoolRefiller;
import dev.cloche.sandbox.warm.PoolSignal;
import dev.cloche.sandbox.warm.PoolSources;
import dev.cloche.sandbox.warm.WarmStarts;
import dev.cloche.vm.Guest;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Manages the pools of warm VMs of a state root, from which sandboxes start by themselves. What they are to have is
 * recorded; what they have is the VMs themselves. Safe for use from several threads and processes.
 */
public final class SandboxPools {
    /**
     * Holds what a process says of all pools.
     *
     * @param budget what the VMs of all pools of the host may take together; asked each time that it matters
     * @param listener is told what happens in the pools that this process keeps
     * @param interpreters finds what a new VM does whose template has the driver of an interpreter, by the words of that step of
     *     the recipe; empty where there is nothing to be done
     */
    public record Settings(
            Supplier<PoolConfig.Budget> budget,
            PoolListener listener,
            Function<List<String>, Optional<Consumer<Guest>>> interpreters) {
        /** Returns the default: 64 VMs and 16 GiB, and no interpreters. */
        public static Settings defaults() {
            return new Settings(PoolConfig.DEFAULT::budget, PoolListener.none(), _ -> Optional.empty());
        }
    }

    /** Is the age after which an unused VM is ended, where no other was asked for. */
    public static final Duration DEFAULT_MAX_AGE = Duration.ofMinutes(10);

    /** Made on a processor that others want too. */
    private static final PoolConfig CONFIG = PoolConfig.DEFAULT
            .withRestoreWithin(Duration.ofMinutes(2), Duration.ofSeconds(3))
            .withPrepareWithin(Duration.ofMinutes(1))
            .withCloseWithin(Duration.ofSeconds(10));

    private static final Duration FOREVER = Duration.ofDays(3650);
    private static final Duration REMOVE_LIMIT = Duration.ofSeconds(10);

    private final PoolStore store;
    private final PoolSources sources;
    private final PoolPreparations preparations;
    private final Supplier<PoolConfig.Budget> budget;
    private final Clock clock;
    private final PoolShelf shelf;
    private final PoolFilling filling;
    private final PoolRefiller refiller;

    /** @param making says which process fills them when they have been taken from */
    SandboxPools(
            Path stateRoot,
            Catalog catalog,
            ImageStore images,
            VmProvider vms,
            TemplateStore templates,
            Clock clock,
            TemplateMaking making,
            Settings settings) {
        budget = settings.budget();
        preparations = new PoolPreparations(settings.interpreters());
        sources = new PoolSources(images, templates, new SnapshotStore(catalog, clock), vms::snapshot);
        this.clock = clock;
        store = new PoolStore(catalog, clock);
        shelf = new PoolShelf(vms, CONFIG, budget, PoolShape::isOfSandboxes);
        filling = new PoolFilling(stateRoot);
        PoolSignal signal = new PoolSignal(stateRoot);
        refiller = new PoolRefiller(
                making,
                filling,
                signal,
                () -> new KeptPools(
                        store,
                        sources,
                        preparations,
                        signal,
                        listener -> WarmPool.start(vms, CONFIG, listener),
                        budget,
                        settings.listener()));
    }

    WarmStarts starts() {
        return new WarmStarts(store, shelf, sources.templates(), refiller, clock);
    }

    /** Keeps all pools from now on, if this process is there to stay. */
    void keep() {
        var _ = refiller.kept();
    }

    PoolRefiller refiller() {
        return refiller;
    }

    /**
     * Has VMs kept ready for sandboxes of this shape, from now on. They are made in the background. Of a pool that is set
     * already this changes how it is kept.
     *
     * @param preparation functions of this process that prepare its VMs, if it is to have some: then only processes that
     *     have set it likewise make them, and all take them
     * @throws SandboxException.InvalidSpecification if that is more than all pools of a host may have
     */
    public PoolStatus set(PoolShape shape, PoolStatus.Policy policy, Preparation preparation) {
        PoolStatus.Policy whole = policy.withInProcess(!preparation.equals(Preparation.NONE));
        checkBudget(shape, whole.depth().max());
        preparations.set(shape, preparation);
        store.set(shape, whole);
        store.find(shape).map(PoolRow::id).ifPresent(refiller::set);
        return status(shape);
    }

    private void checkBudget(PoolShape shape, int depth) {
        PoolConfig.Budget most = budget.get();
        List<PoolRow> others =
                store.all().stream().filter(row -> !row.shape().equals(shape)).toList();
        long vms = (long) depth
                + others.stream().mapToLong(row -> row.policy().depth().max()).sum();
        long memory = (long) depth * shape.memoryMib()
                + others.stream()
                        .mapToLong(row ->
                                (long) row.policy().depth().max() * row.shape().memoryMib())
                        .sum();
        if (vms > most.vms() || memory > most.memoryMiB()) {
            throw new SandboxException.InvalidSpecification(
                    "A depth of " + depth + " is out of range: all pools together may have " + most.vms()
                            + " VMs and " + most.memoryMiB() + " MiB, and the others have "
                            + (vms - depth) + " VMs.",
                    "Give a smaller depth, allow more in config.toml ([pools] vms, memory), or remove another pool"
                            + " with: cloche.pools().pool(…).remove()");
        }
    }

    /** Returns all pools, in the order of their making. */
    public List<PoolStatus> list() {
        List<PoolShelf.Lying> lying = shelf.look();
        return store.all().stream().map(row -> status(row, lying)).toList();
    }

    /** @throws SandboxException.NoPool if there is none of this shape */
    private PoolStatus status(PoolShape shape) {
        return status(store.find(shape).orElseThrow(() -> new SandboxException.NoPool(shape)), shelf.look());
    }

    private static PoolStatus status(PoolRow row, List<PoolShelf.Lying> lying) {
        return new PoolStatus(
                row.shape(),
                row.policy(),
                row.createdAt(),
                count(row.shape(), lying, PooledVm.Stage.SHELVED),
                count(row.shape(), lying, PooledVm.Stage.OPEN),
                row.counts(),
                row.retryAt());
    }

    private static int count(PoolShape shape, List<PoolShelf.Lying> lying, PooledVm.Stage stage) {
        return (int) lying.stream()
                .filter(entry -> shape.has(entry.key()) && entry.vm().stage() == stage)
                .count();
    }

    /**
     * Returns the shape of the pool of a prepared template, also of one that is gone.
     *
     * @throws SandboxException.NoTemplate if no pool is of it
     */
    public PoolShape ofTemplate(String name) {
        return store.all().stream()
                .map(PoolRow::shape)
                .filter(shape -> shape.template().equals(Optional.of(name)))
                .findFirst()
                .orElseThrow(() -> new SandboxException.NoTemplate(name));
    }

    /**
     * Removes a pool and its VMs. VMs that are being made just now are removed by the process that makes them.
     *
     * @throws SandboxException.NoPool if there is none of this shape
     */
    public void remove(PoolShape shape) {
        long pool = store.find(shape).map(PoolRow::id).orElseThrow(() -> new SandboxException.NoPool(shape));
        if (!store.delete(shape)) {
            throw new SandboxException.NoPool(shape);
        }
        refiller.removed(pool);
        PoolFill fill = fill(PullListener.none(), false);
        var _ = alone(fill::cleared, REMOVE_LIMIT);
    }

    /**
     * Makes what the pools are short of, now, and replaces what is too old. Waits for a process that does so.
     *
     * @return what went wrong, one sentence each
     */
    public List<String> fill(PullListener listener) {
        PoolFill fill = fill(listener, true);
        return alone(fill::run, FOREVER).orElse(List.of());
    }

    private PoolFill fill(PullListener listener, boolean insistent) {
        return new PoolFill(store, shelf, sources, preparations, clock, listener, insistent);
    }

    private <T> Optional<T> alone(Supplier<T> work, Duration patience) {
        try {
            return filling.alone(work, Deadline.after(patience));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
