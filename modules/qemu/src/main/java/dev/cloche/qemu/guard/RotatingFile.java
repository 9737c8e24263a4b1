package dev.cloche.qemu.guard;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * Reads a log of two files whose writer renames the newer one to the older one when it is full, as the guard does: the
 * bytes of the older file, then those of the newer, while the writer goes on. Bytes that were replaced before they were
 * read are missing from the stream.
 */
final class RotatingFile implements Closeable {
    private final Path newer;
    private final Path older;
    private Optional<Part> current = Optional.empty();
    private Optional<Part> following = Optional.empty();

    /** Describes a file that is held open, which keeps its inode from being given to another. */
    private record Part(FileChannel channel, Object key) implements Closeable {
        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    RotatingFile(Path newer, Path older) {
        this.newer = newer;
        this.older = older;
    }

    /** Puts bytes into {@code target}; false if there are none at present. */
    boolean read(ByteBuffer target) throws IOException {
        if (current.isEmpty() && !open()) {
            return false;
        }
        while (true) {
            Part reading = current.orElseThrow();
            // What the writer has left it writes no more to, so look at the names before looking for its end.
            boolean left = following.isPresent() || !isAt(newer, reading);
            if (reading.channel().read(target) > 0) {
                return true;
            }
            if (!left || !goOn()) {
                return false;
            }
        }
    }

    /** Leaves the file that was read to its end; false while the writer has not begun the next. */
    private boolean goOn() throws IOException {
        Part done = current.orElseThrow();
        Optional<Part> next = following;
        if (next.isEmpty() && isAt(older, done)) {
            next = part(newer);
            if (next.isEmpty()) {
                return false;
            }
        }
        done.close();
        current = next;
        following = Optional.empty();
        return current.isPresent() || open();
    }

    private boolean open() throws IOException {
        while (true) {
            Optional<Part> latest = part(newer);
            Optional<Part> before = part(older);
            if (latest.isEmpty() || isAt(newer, latest.get())) {
                current = before.or(() -> latest);
                following = before.isPresent() ? latest : Optional.empty();
                return current.isPresent();
            }
            // It was renamed meanwhile: what was opened may not be neighbours.
            latest.get().close();
            if (before.isPresent()) {
                before.get().close();
            }
        }
    }

    private static Optional<Part> part(Path path) throws IOException {
        while (true) {
            Optional<Object> key = key(path);
            if (key.isEmpty()) {
                return Optional.empty();
            }
            FileChannel channel;
            try {
                channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            } catch (NoSuchFileException renamed) {
                continue;
            }
            if (key.equals(key(path))) {
                return Optional.of(new Part(channel, key.get()));
            }
            channel.close();
        }
    }

    private static boolean isAt(Path path, Part part) throws IOException {
        return key(path).filter(part.key()::equals).isPresent();
    }

    private static Optional<Object> key(Path path) throws IOException {
        try {
            return Optional.ofNullable(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey());
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        try (Part _ = current.orElse(null);
                Part _ = following.orElse(null)) {
            current = Optional.empty();
            following = Optional.empty();
        }
    }
}
