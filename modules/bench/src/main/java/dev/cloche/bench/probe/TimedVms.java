package dev.cloche.bench.probe;

import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Passes calls to the VMs of another provider, and knows how long a thread was in their calls, and when a pool began to
 * make each of its entries. Safe for use from several threads.
 */
public final class TimedVms {
    private final VmProvider provider;
    private final ThreadLocal<Long> inside = ThreadLocal.withInitial(() -> 0L);
    private final BlockingQueue<Long> begun = new LinkedBlockingQueue<>();
    private final Semaphore making = new Semaphore(1);

    TimedVms(VmProvider real) {
        provider = timed(VmProvider.class, real);
    }

    VmProvider provider() {
        return provider;
    }

    /** Nanoseconds that this thread has been in calls of the provider and its VMs. */
    long inside() {
        return inside.get();
    }

    void forgetEntries() {
        begun.clear();
    }

    /** Waits until the next entry is begun, and returns when that was, by {@link System#nanoTime}. */
    long nextEntry() throws InterruptedException {
        return Optional.ofNullable(begun.poll(BenchVm.patience().remainingNanos(), TimeUnit.NANOSECONDS))
                .orElseThrow(() -> new IllegalStateException("the pool makes no entry"));
    }

    /** Has no entry begun to be made until this is closed. */
    Hold hold() {
        making.acquireUninterruptibly();
        return making::release;
    }

    /** Holds the pool until it is closed, which throws nothing. */
    public interface Hold extends AutoCloseable {
        @Override
        void close();
    }

    private <T> T timed(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    long begin = System.nanoTime();
                    if (makesEntry(method)) {
                        begun.add(begin);
                        making.acquireUninterruptibly();
                        making.release();
                    }
                    try {
                        Object answer = method.invoke(target, arguments);
                        return answer instanceof Vm vm ? timed(Vm.class, vm) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        inside.set(inside.get() + System.nanoTime() - begin);
                    }
                }));
    }

    private static boolean makesEntry(Method method) {
        return method.getName().equals("create")
                && List.of(method.getParameterTypes()).contains(PoolSlot.class);
    }
}
