package dev.cloche.image.registry;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Says once that a wait has become long, unless it is over before. */
final class SlowWaitNotice implements AutoCloseable {
    private final CountDownLatch over = new CountDownLatch(1);

    private SlowWaitNotice() {}

    /** @param said what is called after that time, in a thread of its own */
    static SlowWaitNotice after(Duration patience, Runnable said) {
        SlowWaitNotice silence = new SlowWaitNotice();
        Thread.ofVirtual().start(() -> silence.await(patience, said));
        return silence;
    }

    private void await(Duration patience, Runnable said) {
        try {
            if (!over.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                said.run();
            }
        } catch (InterruptedException neverInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        over.countDown();
    }
}
