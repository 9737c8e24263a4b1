package dev.cloche.sandbox.warm;

import dev.cloche.sandbox.TemplateMaking;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the pools filled when this process has taken from them: by a thread of its own as long as it lives, or by a process of
 * its own that is started soon. What fails here fails nobody's start.
 */
public final class PoolKeeper implements AutoCloseable {
    /** What other processes have changed is seen by then at the latest. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(30);
    /** A first command is not to be slowed by who fills for the next. */
    private static final Duration FIRST_COMMAND = Duration.ofSeconds(1);

    private static final Duration FOREVER = Duration.ofDays(3650);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final TemplateMaking making;
    private final PoolFilling filling;
    private final Supplier<Optional<Duration>> fill;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean wished;
    private boolean closed;
    private @Nullable Thread thread;

    /**
     * Creates one that does nothing until pools are wanted.
     *
     * @param fill fills, and answers when it is to be done again
     */
    public PoolKeeper(TemplateMaking making, PoolFilling filling, Supplier<Optional<Duration>> fill) {
        this.making = making;
        this.filling = filling;
        this.fill = fill;
    }

    /** Pools may have less than they are to have. */
    public void wanted() {
        if (making instanceof TemplateMaking.Never) {
            return;
        }
        lock.lock();
        try {
            wished = true;
            changed.signalAll();
            if (thread == null && !closed) {
                thread = Thread.ofVirtual().name("pool-keeper").start(this::keep);
            }
        } finally {
            lock.unlock();
        }
    }

    private void keep() {
        try {
            switch (making) {
                case TemplateMaking.Never() -> {}
                case TemplateMaking.InBackground() -> keepFilled();
                case TemplateMaking.ByProcess(List<String> _, List<String> filler) -> keepFilled(filler);
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private void keepFilled() throws InterruptedException {
        while (!isClosed()) {
            var _ = begun();
            Duration due =
                    filled().filter(soon -> soon.compareTo(LOOK_EVERY) < 0).orElse(LOOK_EVERY);
            var _ = await(() -> wished || closed, due);
        }
    }

    private Optional<Duration> filled() {
        try {
            return fill.get();
        } catch (RuntimeException e) {
            failed(e);
            return Optional.empty();
        }
    }

    private void keepFilled(List<String> filler) throws InterruptedException {
        while (await(() -> wished || closed, FOREVER) && begun()) {
            var _ = await(() -> closed, FIRST_COMMAND);
            if (!filling.isWaitedFor()) {
                BackgroundProcess.start(filler);
            }
        }
    }

    /**
     * What is wished from now on is another wish.
     *
     * @return whether there was one
     */
    private boolean begun() {
        lock.lock();
        try {
            boolean was = wished;
            wished = false;
            return was;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it came true within this time. */
    private boolean await(BooleanSupplier condition, Duration longest) throws InterruptedException {
        lock.lock();
        try {
            long left = longest.toNanos();
            while (!condition.getAsBoolean() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return condition.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    private void failed(RuntimeException why) {
        System.getLogger(PoolKeeper.class.getName())
                .log(isClosed() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING, "pools are not filled", why);
    }

    /** Begins what is left to a process of its own; ends what this one is at, and the VM that it makes. */
    @Override
    public void close() {
        Thread mine;
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            mine = thread;
        } finally {
            lock.unlock();
        }
        if (mine == null) {
            return;
        }
        if (making instanceof TemplateMaking.InBackground) {
            mine.interrupt();
        }
        try {
            var _ = mine.join(END_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
