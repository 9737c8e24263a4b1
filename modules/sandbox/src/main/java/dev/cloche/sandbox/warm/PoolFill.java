package dev.cloche.sandbox.warm;

import dev.cloche.base.ClocheException;
import dev.cloche.image.PullListener;
import dev.cloche.pool.PoolShelf;
import dev.cloche.pool.ShelfTarget;
import dev.cloche.pool.StackKey;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.PoolStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Fills all pools once, for the process that has their lock. For one thread, used once. */
public final class PoolFill {
    /** How long a process that comes and goes does not try a pool again of which no VM could be made. */
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final PoolStore store;
    private final PoolShelf shelf;
    private final PoolSources sources;
    private final PoolPreparations preparations;
    private final Clock clock;
    private final PullListener listener;
    /** Says whether pools are tried whose latest attempt has just failed. */
    private final boolean insistent;

    private final Map<Long, PoolSources.Source> prepared = new HashMap<>();
    private final Set<Long> failed = new HashSet<>();

    public PoolFill(
            PoolStore store,
            PoolShelf shelf,
            PoolSources sources,
            PoolPreparations preparations,
            Clock clock,
            PullListener listener,
            boolean insistent) {
        this.store = store;
        this.shelf = shelf;
        this.sources = sources;
        this.preparations = preparations;
        this.clock = clock;
        this.listener = listener;
        this.insistent = insistent;
    }

    /** Fills, and returns what went wrong. */
    public List<String> run() {
        List<String> errors = new ArrayList<>();
        shelf.fill(() -> order(errors), new PoolShelf.FillListener() {
            @Override
            public void made(StackKey key, Duration took) {
                of(key).ifPresent(store::made);
            }

            @Override
            public void failed(StackKey key, String code, String why) {
                of(key).ifPresent(id -> failedAt(id, why, errors));
            }
        });
        sources.releaseOthers(store.all());
        return List.copyOf(errors);
    }

    /**
     * Removes what no pool is to have, and fills nothing.
     *
     * @return true
     */
    public boolean cleared() {
        List<PoolShape> shapes = shapes(store.all());
        shelf.clear(new PoolShelf.Order(List.of(), key -> known(shapes, key)));
        sources.releaseOthers(store.all());
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
        store.failed(pool, why, PAUSE);
    }

    /** Returns what shelves are to have now; pools may have been set and removed since it was asked last. */
    private PoolShelf.Order order(List<String> errors) {
        List<PoolRow> rows = store.all();
        List<ShelfTarget> stocks = new ArrayList<>();
        List<PoolShape> untouched = new ArrayList<>();
        for (PoolRow row : rows) {
            Optional<PoolSources.Source> ready =
                    failed.contains(row.id()) || rests(row) ? Optional.empty() : prepare(row, errors);
            ready.ifPresentOrElse(
                    known -> preparations
                            .registration(row, known)
                            .ifPresentOrElse(
                                    how -> stocks.add(new ShelfTarget(known.key(), how)),
                                    () -> untouched.add(row.shape())),
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
        return !insistent
                && row.retryAt().filter(at -> at.isAfter(clock.instant())).isPresent();
    }

    private Optional<PoolSources.Source> prepare(PoolRow row, List<String> errors) {
        PoolSources.Source known = prepared.get(row.id());
        if (known != null) {
            return Optional.of(known);
        }
        try {
            PoolSources.Source made = sources.of(row, listener);
            prepared.put(row.id(), made);
            return Optional.of(made);
        } catch (ClocheException e) {
            failedAt(row.id(), e.sentence(), errors);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }
}
