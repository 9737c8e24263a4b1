package dev.cloche.vm.testing;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The content of an in-memory file: pages, and nothing where nothing was written. Not safe for several threads. */
final class SparseBytes {
    static final int PAGE = 4096;

    private final TreeMap<Long, byte[]> pages = new TreeMap<>();
    private long size;

    /** Takes over a copy of another's content. */
    void become(SparseBytes other) {
        pages.clear();
        other.pages.forEach((number, page) -> pages.put(number, page.clone()));
        size = other.size;
    }

    long size() {
        return size;
    }

    /** Bytes of memory. */
    long allocated() {
        return (long) pages.size() * PAGE;
    }

    void write(long offset, ByteBuffer bytes) {
        long at = offset;
        while (bytes.hasRemaining()) {
            byte[] page = pages.computeIfAbsent(at / PAGE, number -> new byte[PAGE]);
            int within = (int) (at % PAGE);
            int count = Math.min(PAGE - within, bytes.remaining());
            bytes.get(page, within, count);
            at += count;
        }
        size = Math.max(size, at);
    }

    /** Reads up to a buffer's size; holes are zeros. */
    byte[] read(long offset, int most) {
        byte[] target = new byte[Math.clamp(size - offset, 0, most)];
        int done = 0;
        while (done < target.length) {
            int within = (int) ((offset + done) % PAGE);
            int count = Math.min(PAGE - within, target.length - done);
            byte[] page = pages.get((offset + done) / PAGE);
            if (page != null) {
                System.arraycopy(page, within, target, done, count);
            }
            done += count;
        }
        return target;
    }

    /** Returns where data begin, at an offset or after it; the size if there are none. */
    long nextData(long offset) {
        Map.Entry<Long, byte[]> page = pages.ceilingEntry(offset / PAGE);
        return page == null ? size : Math.min(size, Math.max(offset, page.getKey() * PAGE));
    }

    /** Returns where the data at an offset end. */
    long endOfData(long offset) {
        long page = offset / PAGE;
        while (pages.containsKey(page)) {
            page++;
        }
        return Math.clamp(page * PAGE, offset, size);
    }

    void setSize(long newSize) {
        if (newSize < size) {
            pages.tailMap(Math.ceilDiv(newSize, (long) PAGE), true).clear();
            byte[] last = pages.get(newSize / PAGE);
            if (last != null) {
                Arrays.fill(last, (int) (newSize % PAGE), PAGE, (byte) 0);
            }
        }
        size = newSize;
    }
}
