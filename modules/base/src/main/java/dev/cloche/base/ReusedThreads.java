package dev.cloche.base;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Starts work that waits in the kernel on daemon threads, those of ended work first: a new platform thread holds its starter up
 * until the kernel has run it for the first time, on a busy host for milliseconds. An idle one ends after a minute.
 */
public final class ReusedThreads {
    /** Does not begin as the names of work do, by which people and tests find what has not ended. */
    private static final String IDLE = "idle-cloche";

    private static final ThreadPoolExecutor THREADS =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), work -> {
                Thread thread = Thread.ofPlatform()
                        .daemon()
                        .name(IDLE)
                        .inheritInheritableThreadLocals(false)
                        .unstarted(work);
                // That of the application that happened to start it could never be unloaded while it waits.
                thread.setContextClassLoader(ReusedThreads.class.getClassLoader());
                return thread;
            });

    private ReusedThreads() {}

    /**
     * Starts work; does not wait until it runs.
     *
     * @param name of its thread until it ends
     */
    public static void start(String name, Runnable work) {
        THREADS.execute(() -> {
            Thread thread = Thread.currentThread();
            thread.setName(name);
            try {
                work.run();
            } finally {
                thread.setName(IDLE);
            }
        });
    }
}
