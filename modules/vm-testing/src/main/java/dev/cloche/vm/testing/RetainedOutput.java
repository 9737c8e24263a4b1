package dev.cloche.vm.testing;

import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vmm.protocol.Frame;

/**
 * What an in-memory guest keeps of one output; the section "Output windows" of docs/guest-protocol.md. Not safe for use
 * from several threads.
 */
final class RetainedOutput {
    private final byte[] ring;
    private long oldest;
    private long end;
    private long sent;
    private long acknowledged;
    private int credit;

    RetainedOutput(int window) {
        ring = new byte[window];
    }

    ExecutionInfo.Kept info() {
        return new ExecutionInfo.Kept(oldest, end);
    }

    long end() {
        return end;
    }

    /** Returns whether everything went to the reader. */
    boolean drained() {
        return sent == end;
    }

    /** Returns how many bytes may be written, if only what was acknowledged may be overwritten. */
    int roomIfAcknowledged() {
        return room(acknowledged);
    }

    /** Returns how many bytes may be written, if only what was sent may be overwritten. */
    int roomIfSent() {
        return room(sent);
    }

    private int room(long disposable) {
        return (int) (ring.length - (end - Math.max(oldest, disposable)));
    }

    /** Appends at most a window of bytes; the oldest make room. */
    void append(byte[] bytes, int offset, int length) {
        for (int i = 0; i < length; i++) {
            ring[(int) ((end + i) % ring.length)] = bytes[offset + i];
        }
        end += length;
        oldest = Math.max(oldest, end - ring.length);
    }

    /** A reader wants it from there on, or from the oldest byte kept. */
    void restart(long from, int granted) {
        sent = Math.max(from, oldest);
        credit = granted;
    }

    /** Returns where the reader goes on. */
    long sent() {
        return sent;
    }

    void granted(int bytes) {
        credit = Math.min(Frame.MAX_CREDIT, credit + bytes);
    }

    void acknowledged(long offset) {
        acknowledged = Math.max(acknowledged, Math.min(offset, end));
    }

    /** Returns the next bytes that the reader may have; they count as sent. */
    byte[] next(int most) {
        int count = (int) Math.min(Math.min(most, credit), end - sent);
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = ring[(int) ((sent + i) % ring.length)];
        }
        sent += count;
        credit -= count;
        return bytes;
    }
}
