package dev.cloche.image.transfer;

import dev.cloche.image.PullEvent;
import dev.cloche.image.PullListener;
import java.util.concurrent.locks.ReentrantLock;

/** Lets the threads of a pull call its listener one at a time. */
public final class SynchronizedListener implements PullListener {
    private final PullListener listener;
    private final ReentrantLock speaking = new ReentrantLock();

    public SynchronizedListener(PullListener listener) {
        this.listener = listener;
    }

    @Override
    public void on(PullEvent event) {
        speaking.lock();
        try {
            listener.on(event);
        } finally {
            speaking.unlock();
        }
    }
}
