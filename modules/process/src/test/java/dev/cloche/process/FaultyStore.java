package dev.cloche.process;

import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreTransaction;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A store whose nth primitive write fails as a broken disk would, and every one after it. */
final class FaultyStore extends ForwardingStore {
    private final int failing;
    private final AtomicInteger writes = new AtomicInteger();

    FaultyStore(ProcessStore store, int failing) {
        super(store);
        this.failing = failing;
    }

    @Override
    public <T> T write(Work<T> work) {
        return store.write(transaction -> work.run(counted(transaction)));
    }

    private StoreTransaction counted(StoreTransaction transaction) {
        return intercepted(transaction, this::count, (_, _) -> Optional.empty());
    }

    private void count(Method method) {
        boolean primitive = method.getDeclaringClass() == StoreTransaction.class
                && !method.getName().startsWith("lock");
        if (primitive && writes.incrementAndGet() >= failing) {
            throw broken();
        }
    }

    private static ProcessException broken() {
        return new ProcessException.StoreFailed("a test broke it.", "", new IOException("input/output error"));
    }
}
