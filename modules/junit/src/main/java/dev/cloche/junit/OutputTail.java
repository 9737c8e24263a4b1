package dev.cloche.junit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.base.ClocheException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;

/** The latest 16 KiB of what comes by two streams, in the order in which it comes. Thread-safe. */
final class OutputTail {
    static final int LIMIT = 16 * 1024;

    private final byte[] latest = new byte[LIMIT];
    private final List<AwaitedText> awaited;
    private long written;
    private int open = 2;

    OutputTail(List<AwaitedText> awaited) {
        this.awaited = List.copyOf(awaited);
    }

    /** Reads one of the streams to its end. */
    void read(InputStream stream) {
        byte[] buffer = new byte[8192];
        List<AwaitedText.Search> searches =
                awaited.stream().map(text -> text.new Search()).toList();
        try {
            for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
                int length = count;
                append(buffer, length);
                searches.forEach(search -> search.add(buffer, length));
            }
        } catch (IOException | ClocheException sandboxEnded) {
            // What has come is what there is.
        } finally {
            close();
        }
    }

    private synchronized void append(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            latest[(int) ((written + i) % LIMIT)] = bytes[i];
        }
        written += count;
        notifyAll();
    }

    private synchronized void close() {
        open--;
        notifyAll();
    }

    /** Waits until so many bytes have come, or both streams have ended, or the limit has passed. */
    synchronized void await(long bytes, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            for (long left = limit.toNanos(); written < bytes && open > 0 && left > 0; left = end - System.nanoTime()) {
                wait(left / 1_000_000 + 1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns what is kept, as UTF-8. */
    synchronized String text() {
        int kept = (int) Math.min(written, LIMIT);
        byte[] bytes = new byte[kept];
        for (int i = 0; i < kept; i++) {
            bytes[i] = latest[(int) ((written - kept + i) % LIMIT)];
        }
        return new String(bytes, UTF_8);
    }
}
