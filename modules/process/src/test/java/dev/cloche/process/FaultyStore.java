package dev.cloche.process;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/** A store whose nth primitive write fails as a broken disk would, and every one after it. */
final class FaultyStore implements ProcessStore {
    private final ProcessStore store;
    private final int failing;
    private final AtomicInteger writes = new AtomicInteger();

    FaultyStore(ProcessStore store, int failing) {
        this.store = store;
        this.failing = failing;
    }

    @Override
    public <T> T write(Work<T> work) {
        return store.write(transaction -> work.run(counted(transaction)));
    }

    private StoreTransaction counted(StoreTransaction transaction) {
        return (StoreTransaction) Proxy.newProxyInstance(
                FaultyStore.class.getClassLoader(), new Class<?>[] {StoreTransaction.class}, (_, method, arguments) -> {
                    boolean writes = method.getDeclaringClass() == StoreTransaction.class
                            && !method.getName().startsWith("lock");
                    if (writes && this.writes.incrementAndGet() >= failing) {
                        throw broken();
                    }
                    try {
                        return method.invoke(transaction, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static ProcessException broken() {
        return new ProcessException.StoreFailed("a test broke it.", "", new IOException("input/output error"));
    }

    @Override
    public <T> T read(Query<T> query) {
        return store.read(query);
    }

    @Override
    public Durability durability() {
        return store.durability();
    }

    @Override
    public void listen(CommitListener listener) {
        store.listen(listener);
    }

    @Override
    public void watchOthers() {
        store.watchOthers();
    }

    @Override
    public void close() {
        store.close();
    }
}
