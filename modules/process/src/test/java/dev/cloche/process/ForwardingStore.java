package dev.cloche.process;

import dev.cloche.base.Deadline;
import dev.cloche.process.store.CommitListener;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;

/** A store that does what another does; what a test wants to be different is overridden. */
public class ForwardingStore implements ProcessStore {
    final ProcessStore store;

    public ForwardingStore(ProcessStore store) {
        this.store = store;
    }

    /** Looks at a call of a transaction before it is made; what it throws is thrown instead. */
    @FunctionalInterface
    interface Before {
        void call(Method method);
    }

    /** Makes of the result of a call what its caller gets. */
    @FunctionalInterface
    interface After {
        Optional<Object> result(Method method, Object result);
    }

    static StoreTransaction intercepted(StoreTransaction transaction, Before before, After after) {
        return (StoreTransaction) Proxy.newProxyInstance(
                ForwardingStore.class.getClassLoader(),
                new Class<?>[] {StoreTransaction.class},
                (_, method, arguments) -> {
                    before.call(method);
                    Object result;
                    try {
                        result = method.invoke(transaction, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    return result == null ? null : after.result(method, result).orElse(result);
                });
    }

    @Override
    public <T> T write(Work<T> work) {
        return store.write(work);
    }

    @Override
    public final <T> T read(Query<T> query, Deadline deadline) {
        return store.read(query, deadline);
    }

    @Override
    public final Durability durability() {
        return store.durability();
    }

    @Override
    public void listen(CommitListener listener) {
        store.listen(listener);
    }

    @Override
    public final void watchOthers(Deadline deadline) {
        store.watchOthers(deadline);
    }

    @Override
    public final void close() {
        store.close();
    }
}
