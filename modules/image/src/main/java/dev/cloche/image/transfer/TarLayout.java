package dev.cloche.image.transfer;

import dev.cloche.image.ArchiveLimits;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.tar.TarEntry;
import dev.cloche.image.tar.TarInput;
import dev.cloche.image.tar.TarReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The files of an uncompressed archive, found once and then read where they stand. Their names are only looked up, never
 * used as paths, so an archive cannot reach out of itself.
 */
final class TarLayout implements LayoutFiles {
    /** Far above every image archive: a few files for each layer. */
    private static final int MOST_FILES = 100_000;

    private static final int LONGEST_NAME = 1024;
    private static final int MOST_LINKS = 4;

    private record Place(long offset, long length) {}

    private final String name;
    private final FileChannel channel;
    private final Map<String, Place> files = new HashMap<>();
    private final Map<String, String> links = new HashMap<>();

    private TarLayout(String name, FileChannel channel) {
        this.name = name;
        this.channel = channel;
    }

    /**
     * Reads the archive once to find its files. Closes the channel with the layout, and if it cannot be read.
     *
     * @throws CorruptArchiveException if it is no sound archive
     */
    static TarLayout of(String name, FileChannel channel, ArchiveLimits limits) throws IOException {
        TarLayout layout = new TarLayout(name, channel);
        try {
            layout.scan(limits);
            return layout;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return name;
    }

    boolean has(String path) {
        return files.containsKey(resolved(path));
    }

    long length(String path) throws IOException {
        return place(path).length();
    }

    @Override
    public InputStream open(String path) throws IOException {
        Place place = place(path);
        return new BufferedInputStream(new Slice(place.offset(), place.length()), 1 << 16);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void scan(ArchiveLimits limits) throws IOException {
        TarReader reader = new TarReader(Channels.newInputStream(channel.position(0)), limits);
        for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
            String path = normal(entry.path().toString());
            if (files.size() + links.size() >= MOST_FILES || path.length() > LONGEST_NAME) {
                throw new CorruptArchiveException("it has too many files, or names that are too long, for images");
            }
            switch (entry.type()) {
                case REGULAR -> {
                    if (entry.sparse()) {
                        throw new CorruptArchiveException("it has a sparse file, which no image archive has");
                    }
                    files.put(path, new Place(reader.position(), entry.size()));
                }
                // Old archives of Docker name a layer that several images share once, and link to it.
                case SYMLINK -> links.put(path, beside(path, entry.linkTarget().toString()));
                case HARD_LINK -> links.put(path, normal(entry.linkTarget().toString()));
                default -> {
                    // Directories are implied by the names of files.
                }
            }
        }
    }

    private Place place(String path) throws NoSuchFileException {
        Place place = files.get(resolved(path));
        if (place == null) {
            throw new NoSuchFileException(path);
        }
        return place;
    }

    private String resolved(String path) {
        String resolved = normal(path);
        for (int i = 0; i < MOST_LINKS; i++) {
            resolved = links.getOrDefault(resolved, resolved);
        }
        return resolved;
    }

    private static String beside(String link, String target) {
        return normal(link.substring(0, link.lastIndexOf('/') + 1) + target);
    }

    /** Without empty and single-dot parts; what leads upwards only goes as far as the archive does. */
    private static String normal(String path) {
        Deque<String> parts = new ArrayDeque<>();
        for (String part : path.split("/", -1)) {
            if (part.equals("..")) {
                parts.pollLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.addLast(part);
            }
        }
        return String.join("/", parts);
    }

    /** A piece of the channel, read without moving its position. */
    private final class Slice extends InputStream {
        private long offset;
        private long left;

        Slice(long offset, long left) {
            this.offset = offset;
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int start, int length) throws IOException {
            if (left == 0) {
                return length == 0 ? 0 : -1;
            }
            int read = channel.read(ByteBuffer.wrap(target, start, (int) Math.min(left, length)), offset);
            if (read < 0) {
                throw TarInput.truncated();
            }
            offset += read;
            left -= read;
            return read;
        }
    }

    /** Returns a new file in a directory that has no name any more when this returns, and so goes with its channel. */
    static FileChannel nameless(Path directory) throws IOException {
        String name =
                ".tmp-" + Long.toUnsignedString(ThreadLocalRandom.current().nextLong()) + "-spool";
        return FileChannel.open(
                directory.resolve(name),
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        // On Linux the JDK takes the name away right after the open.
                        StandardOpenOption.DELETE_ON_CLOSE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
}
