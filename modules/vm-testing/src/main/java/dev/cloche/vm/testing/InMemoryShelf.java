package dev.cloche.vm.testing;

import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** An in-memory VM's place in a pool: what a directory keeps for a real one. */
final class InMemoryShelf {
    private enum Place {
        OPEN,
        SHELVED,
        CLAIMED,
        RETIRED
    }

    private final PoolSlot slot;
    private final AtomicReference<Place> place = new AtomicReference<>(Place.OPEN);
    private volatile Instant since = Instant.EPOCH;

    InMemoryShelf(PoolSlot slot) {
        this.slot = slot;
    }

    boolean shelve() {
        since = Instant.now();
        return place.compareAndSet(Place.OPEN, Place.SHELVED) || shelved();
    }

    boolean shelved() {
        return place.get() == Place.SHELVED;
    }

    boolean claim() {
        return place.compareAndSet(Place.SHELVED, Place.CLAIMED);
    }

    boolean retire() {
        return place.compareAndSet(Place.SHELVED, Place.RETIRED);
    }

    Optional<PooledVm> entry(VmSpec spec, VmInfo info) {
        Place now = place.get();
        if (now == Place.CLAIMED) {
            return Optional.empty();
        }
        PooledVm.Stage stage = info.exit().isPresent()
                ? PooledVm.Stage.ENDED
                : now == Place.SHELVED ? PooledVm.Stage.SHELVED : PooledVm.Stage.OPEN;
        Duration age = now == Place.SHELVED ? Duration.between(since, Instant.now()) : Duration.ZERO;
        return Optional.of(new PooledVm(info.id(), slot, stage, spec.snapshot(), spec.memoryMiB(), age));
    }
}
