package dev.cloche.erofs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Bounded random reads. Keeps the few windows that were used last, since a walk goes forward in several places at once:
 * directories, their children, and content outside.
 */
final class BlockInput {
    private static final int WINDOW = 64 * 1024;

    private final Path file;
    private final FileChannel channel;
    private final long size;
    private final @Nullable Window[] windows = new Window[4];

    BlockInput(Path file, FileChannel channel) throws IOException {
        this.file = file;
        this.channel = channel;
        this.size = channel.size();
    }

    long size() {
        return size;
    }

    /** Reads {@code length} bytes at {@code position}; outside the file is corrupt, and checked before allocation. */
    byte[] read(long position, long length) throws IOException {
        if (position < 0 || length < 0 || length > size || position > size - length) {
            throw new CorruptErofsException(file, "it refers to something outside of itself");
        }
        byte[] target = new byte[Math.toIntExact(length)];
        int done = 0;
        while (done < target.length) {
            Window window = window((position + done) / WINDOW);
            int from = (int) ((position + done) % WINDOW);
            int step = Math.min(target.length - done, window.content.length - from);
            System.arraycopy(window.content, from, target, done, step);
            done += step;
        }
        return target;
    }

    /** Returns the window with this number, moved to the front. */
    private Window window(long number) throws IOException {
        int at = 0;
        Window found = windows[0];
        while (at < windows.length - 1 && (found == null || found.number != number)) {
            at++;
            found = windows[at];
        }
        if (found == null || found.number != number) {
            found = new Window(number, load(number * WINDOW));
        }
        System.arraycopy(windows, 0, windows, 1, at);
        windows[0] = found;
        return found;
    }

    private byte[] load(long position) throws IOException {
        byte[] content = new byte[(int) Math.min(WINDOW, size - position)];
        ByteBuffer left = ByteBuffer.wrap(content);
        while (left.hasRemaining()) {
            if (channel.read(left, position + left.position()) < 0) {
                throw new CorruptErofsException(file, "it became shorter while it was read");
            }
        }
        return content;
    }

    private static final class Window {
        private final long number;
        private final byte[] content;

        private Window(long number, byte[] content) {
            this.number = number;
            this.content = content;
        }
    }
}
