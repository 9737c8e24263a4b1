package dev.cloche.process;

import dev.cloche.process.store.ProcessStore;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** A store that sometimes fails: before a write, or after it was committed, when the caller cannot tell the two apart. */
final class UnreliableStore extends ForwardingStore {
    private final RandomGenerator random;
    private final double rate;

    UnreliableStore(ProcessStore store, RandomGenerator random, double rate) {
        super(store);
        this.random = random;
        this.rate = rate;
    }

    @Override
    public <T> T write(Work<T> work) {
        return unreliably(() -> store.write(work));
    }

    @Override
    public <T> T write(String processId, Work<T> work) {
        return unreliably(() -> store.write(processId, work));
    }

    @Override
    public <T> T write(String processId, Optional<String> replayKey, Work<T> work) {
        return unreliably(() -> store.write(processId, replayKey, work));
    }

    private <T> T unreliably(Supplier<T> write) {
        boolean fails = random.nextDouble() < rate;
        if (fails && random.nextBoolean()) {
            throw crash();
        }
        T result = write.get();
        if (fails) {
            throw crash();
        }
        return result;
    }

    private static ProcessException crash() {
        return new ProcessException.StoreFailed("it crashed.", "", new IOException("crash"));
    }
}
