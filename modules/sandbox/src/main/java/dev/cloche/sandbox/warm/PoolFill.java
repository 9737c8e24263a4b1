package dev.cloche.sandbox.warm;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.pool.PoolShelf;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.Stock;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.PoolStore;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One filling of all pools, by whoever has their lock. For one thread, used once. */
public final class PoolFill {
    static final String HOLDER_KIND = "pool";
    /** For an image that is to be pulled and a template that is to be made. */
    private static final Duration PREPARE_LIMIT = Duration.ofMinutes(30);

    private final PoolStore store;
    private final PoolShelf shelf;
    private final ImageStore images;
    private final TemplateStore templates;
    private final Clock clock;
    private final PullListener listener;
    /** How long a pool rests after a failure. */
    private final Duration rest;

    private final Map<Long, Prepared> prepared = new HashMap<>();
    private final Set<Long> failed = new HashSet<>();

    public PoolFill(
            PoolStore store,
            PoolShelf shelf,
            ImageStore images,
            TemplateStore templates,
            Clock clock,
            PullListener listener,
            Duration rest) {
        this.store = store;
        this.shelf = shelf;
        this.images = images;
        this.templates = templates;
        this.clock = clock;
        this.listener = listener;
        this.rest = rest;
    }

    private record Prepared(StackKey key, SnapshotRef snapshot) {}

    /**
     * What came of it.
     *
     * @param due when something is to be done again for the age of entries, or because something failed
     */
    public record Filled(Optional<Duration> due, List<String> errors) {}

    public Filled run() {
        List<String> errors = new ArrayList<>();
        Optional<Duration> due = shelf.fill(() -> order(errors), new PoolShelf.FillListener() {
            @Override
            public void made(StackKey key, Duration took) {
                of(key).ifPresent(store::made);
            }

            @Override
            public void failed(StackKey key, String code, String why) {
                of(key).ifPresent(id -> failedAt(id, why, errors));
            }
        });
        releaseImages();
        return new Filled(errors.isEmpty() ? due : Optional.of(rest), List.copyOf(errors));
    }

    /**
     * Removes what no pool is to have, and fills nothing.
     *
     * @return true
     */
    public boolean cleared() {
        List<PoolShape> shapes = shapes(store.all());
        shelf.clear(new PoolShelf.Order(List.of(), key -> known(shapes, key)));
        releaseImages();
        return true;
    }

    private Optional<Long> of(StackKey key) {
        return prepared.entrySet().stream()
                .filter(entry -> entry.getValue().key().equals(key))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private void failedAt(long pool, String why, List<String> errors) {
        failed.add(pool);
        errors.add(why);
        store.failed(pool, why);
    }

    /** What shelves are to have now; pools may have been set and removed since it was asked last. */
    private PoolShelf.Order order(List<String> errors) {
        List<PoolRow> rows = store.all();
        List<Stock> stocks = new ArrayList<>();
        List<PoolShape> untouched = new ArrayList<>();
        for (PoolRow row : rows) {
            Optional<Prepared> ready =
                    failed.contains(row.id()) || rests(row) ? Optional.empty() : prepare(row, errors);
            ready.ifPresentOrElse(
                    known -> stocks.add(new Stock(
                            known.key(), known.snapshot(), row.depth(), row.maxAge(), TemplateStore.LOG_BYTES)),
                    () -> untouched.add(row.shape()));
        }
        return new PoolShelf.Order(stocks, key -> known(untouched, key));
    }

    private static List<PoolShape> shapes(List<PoolRow> rows) {
        return rows.stream().map(PoolRow::shape).toList();
    }

    private static boolean known(List<PoolShape> shapes, StackKey key) {
        return shapes.stream().anyMatch(shape -> shape.has(key));
    }

    private boolean rests(PoolRow row) {
        return row.failedAt()
                .filter(at -> at.plus(rest).isAfter(clock.instant()))
                .isPresent();
    }

    private Optional<Prepared> prepare(PoolRow row, List<String> errors) {
        Prepared known = prepared.get(row.id());
        if (known != null) {
            return Optional.of(known);
        }
        try {
            Deadline deadline = Deadline.after(PREPARE_LIMIT);
            ImageDisk disk = images.acquire(
                    row.shape().image(), PullPolicy.MISSING, holder(row.id(), row.shape()), listener, deadline);
            VmSpec vm = TemplateRequest.vm(
                            VmId.random(),
                            disk,
                            row.shape().memoryMib(),
                            row.shape().cpus())
                    .withNetwork(row.shape().vmNetwork());
            SnapshotRef template = templates.ensure(vm, deadline);
            Prepared made = new Prepared(row.shape().key(templates.name(vm).value()), template);
            prepared.put(row.id(), made);
            return Optional.of(made);
        } catch (ClocheException e) {
            failedAt(row.id(), String.valueOf(e.getMessage()), errors);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    private static ImageHolder holder(long pool, PoolShape shape) {
        return new ImageHolder(HOLDER_KIND, Long.toString(pool), shape.image().toString());
    }

    /** Of pools that are gone, also of those whose remover was killed. */
    private void releaseImages() {
        List<String> pools =
                store.all().stream().map(row -> Long.toString(row.id())).toList();
        // Nobody but who has our lock holds further ones.
        images.holders(HOLDER_KIND).stream()
                .filter(holder -> !pools.contains(holder.id()))
                .forEach(images::release);
    }
}
