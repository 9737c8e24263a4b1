package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolListener;
import dev.cloche.pool.PoolShelf;
import dev.cloche.pool.WarmPool;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.PoolStore;
import dev.cloche.sandbox.warm.KeptPools;
import dev.cloche.sandbox.warm.PoolFill;
import dev.cloche.sandbox.warm.PoolFilling;
import dev.cloche.sandbox.warm.PoolKeeper;
import dev.cloche.sandbox.warm.PoolSignal;
import dev.cloche.sandbox.warm.PoolSources;
import dev.cloche.sandbox.warm.WarmStarts;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The pools of warm VMs of a state root, from which sandboxes start by themselves. What they are to have is recorded; what they
 * have is the VMs themselves. Safe for use from several threads and processes.
 */
public final class Pools {
    /** After which an unused VM is ended that nobody was told to keep longer. */
    public static final Duration DEFAULT_MAX_AGE = Duration.ofMinutes(10);

    /** Made on a processor that others want too. */
    private static final PoolConfig CONFIG = PoolConfig.DEFAULT
            .withRestoreWithin(Duration.ofMinutes(2), Duration.ofSeconds(3))
            .withCloseWithin(Duration.ofSeconds(10));

    /** How long a process that comes and goes does not try a pool again of which no VM could be made. */
    private static final Duration REST = Duration.ofSeconds(30);

    private static final Duration LONGEST_AGE = Duration.ofDays(365);
    private static final Duration FOREVER = Duration.ofDays(3650);
    private static final Duration REMOVE_LIMIT = Duration.ofSeconds(10);

    private final PoolStore store;
    private final PoolSources sources;
    private final Clock clock;
    private final PoolShelf shelf;
    private final PoolFilling filling;
    private final PoolKeeper keeper;

    /** @param making who fills them when they have been taken from */
    Pools(
            Path stateRoot,
            Catalog catalog,
            ImageStore images,
            VmProvider vms,
            TemplateStore templates,
            Clock clock,
            TemplateMaking making) {
        sources = new PoolSources(images, templates);
        this.clock = clock;
        store = new PoolStore(catalog, clock);
        shelf = new PoolShelf(vms, CONFIG, PoolShape::isOfSandboxes);
        filling = new PoolFilling(stateRoot);
        PoolSignal signal = new PoolSignal(stateRoot);
        keeper = new PoolKeeper(
                making,
                filling,
                signal,
                () -> new KeptPools(
                        store,
                        sources,
                        signal,
                        listener -> WarmPool.start(vms, CONFIG, listener),
                        PoolListener.none()));
    }

    WarmStarts starts() {
        return new WarmStarts(store, shelf, sources.templates(), keeper, clock);
    }

    /** Keeps all pools from now on, if this process is there to stay. */
    void keep() {
        var _ = keeper.kept();
    }

    PoolKeeper keeper() {
        return keeper;
    }

    /**
     * Has VMs kept ready for sandboxes of this shape, from now on. They are made in the background. Of a pool that is set
     * already this changes the depth and the age.
     *
     * @param depth how many
     * @param maxAge after which an unused VM is ended: a second to 365 days
     * @throws SandboxException.InvalidSpecification if that is more than all pools of a host may have
     */
    public PoolStatus set(PoolShape shape, int depth, Duration maxAge) {
        check(shape, depth, maxAge);
        store.set(shape, depth, maxAge);
        store.find(shape).map(PoolRow::id).ifPresent(keeper::wanted);
        return status(shape);
    }

    private void check(PoolShape shape, int depth, Duration maxAge) {
        PoolConfig.Budget budget = CONFIG.budget();
        List<PoolRow> others =
                store.all().stream().filter(row -> !row.shape().equals(shape)).toList();
        long vms = (long) depth + others.stream().mapToLong(PoolRow::depth).sum();
        long memory = (long) depth * shape.memoryMib()
                + others.stream()
                        .mapToLong(row -> (long) row.depth() * row.shape().memoryMib())
                        .sum();
        if (depth < 1 || vms > budget.vms() || memory > budget.memoryMiB()) {
            throw new SandboxException.InvalidSpecification(
                    "A depth of " + depth + " is out of range: all pools together may have 1 to " + budget.vms()
                            + " VMs and " + budget.memoryMiB() + " MiB, and the others have "
                            + (vms - depth) + " VMs.",
                    "Give a smaller depth, or remove another pool with: cloche pool rm");
        }
        if (maxAge.compareTo(Duration.ofSeconds(1)) < 0 || maxAge.compareTo(LONGEST_AGE) > 0) {
            throw new SandboxException.InvalidSpecification(
                    "An age of " + maxAge + " is out of range.", "Give 1 second to 365 days.");
        }
    }

    /** All pools, in the order of their making. */
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
                row.depth(),
                row.maxAge(),
                row.createdAt(),
                count(row.shape(), lying, PooledVm.Stage.SHELVED),
                count(row.shape(), lying, PooledVm.Stage.OPEN),
                row.counts());
    }

    private static int count(PoolShape shape, List<PoolShelf.Lying> lying, PooledVm.Stage stage) {
        return (int) lying.stream()
                .filter(entry -> shape.has(entry.key()) && entry.vm().stage() == stage)
                .count();
    }

    /**
     * Removes a pool and its VMs. Where they are being made just now, whoever does so removes them.
     *
     * @throws SandboxException.NoPool if there is none of this shape
     */
    public void remove(PoolShape shape) {
        long pool = store.find(shape).map(PoolRow::id).orElseThrow(() -> new SandboxException.NoPool(shape));
        if (!store.delete(shape)) {
            throw new SandboxException.NoPool(shape);
        }
        keeper.removed(pool);
        PoolFill fill = fill(PullListener.none(), REST);
        var _ = alone(fill::cleared, REMOVE_LIMIT);
    }

    /**
     * Makes what the pools are short of, now, and replaces what is too old. Waits for a process that does so.
     *
     * @return what went wrong, one sentence each
     */
    public List<String> fill(PullListener listener) {
        PoolFill fill = fill(listener, Duration.ZERO);
        return alone(fill::run, FOREVER).orElse(List.of());
    }

    private PoolFill fill(PullListener listener, Duration rest) {
        return new PoolFill(store, shelf, sources, clock, listener, rest);
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
