package dev.cloche.junit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A text that a main command is to write to one of its outputs, as UTF-8, in however many pieces. Thread-safe. */
final class AwaitedText {
    private final String text;
    /** Its bytes, each a letter. */
    private final String bytes;

    private final CountDownLatch seen = new CountDownLatch(1);

    AwaitedText(String text) {
        this.text = text;
        bytes = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    boolean is(String other) {
        return text.equals(other);
    }

    /** Returns whether it has been written before the limit. */
    boolean await(Duration limit) {
        try {
            return seen.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Looks for it in one output. For one thread. */
    final class Search {
        private String tail = "";

        void add(byte[] piece, int count) {
            String latest = tail + new String(piece, 0, count, StandardCharsets.ISO_8859_1);
            if (latest.contains(bytes)) {
                seen.countDown();
            }
            tail = latest.substring(Math.max(0, latest.length() - bytes.length() + 1));
        }
    }
}
