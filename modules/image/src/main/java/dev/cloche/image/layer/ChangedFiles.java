package dev.cloche.image.layer;

import dev.cloche.base.Printable;
import dev.cloche.base.RawText;
import dev.cloche.erofs.Bytes;
import dev.cloche.erofs.SpecialFile;
import dev.cloche.image.ArchiveLimits;
import dev.cloche.image.CommitFailed;
import dev.cloche.image.LayerChanges;
import dev.cloche.image.tar.DataSegment;
import dev.cloche.image.tar.TarEntry;
import dev.cloche.image.tar.TarEntryHeader;
import dev.cloche.image.tar.TarNumbers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Collects what is to be a layer, contents in a file, and gives it as an archive that depends on nothing but what it has: its
 * entries are sorted by their paths. Its archive may be read several times, once all is collected. For one thread.
 */
public final class ChangedFiles implements LayerChanges {
    private static final String WHITEOUT = ".wh.";
    private static final String OPAQUE = ".wh..wh..opq";
    private static final int END_BLOCKS = 1024;
    private static final String LEAVE = "Remove it in the sandbox, then commit again.";

    /** What a segment costs in memory, as everywhere. */
    private static final long SEGMENT_BYTES = 40;

    /** How much comes between two looks at the room on the disk. */
    private static final long LOOK_BYTES = 64L << 20;

    private final FileChannel spool;
    private final ArchiveLimits limits;
    private final Runnable requireRoom;
    private final List<Draft> drafts = new ArrayList<>();
    private long metadataBytes;
    private long spooled;
    private long looked;

    /**
     * @param spool empty; closed by the caller once the archive is of no more use
     * @param requireRoom refuses to take more of the disk, by what it throws
     */
    public ChangedFiles(FileChannel spool, ArchiveLimits limits, Runnable requireRoom) {
        this.spool = spool;
        this.limits = limits;
        this.requireRoom = requireRoom;
    }

    /** An entry to be, whose data are in the spool from its start on. */
    private static final class Draft {
        private final Entry entry;
        private final Bytes path;
        private final long start;
        private List<DataSegment> segments = List.of();
        private Map<Bytes, Bytes> xattrs = Map.of();

        private Draft(Entry entry, Bytes path, long start) {
            this.entry = entry;
            this.path = path;
            this.start = start;
        }
    }

    @Override
    public void entry(Entry entry) {
        for (String part : entry.path().split("/", -1)) {
            if (part.startsWith(WHITEOUT)) {
                throw refused(entry.path(), "has a name that says to every layer that a file is removed", LEAVE);
            }
        }
        if (entry.kind() == Kind.FILE && entry.size() > limits.maxFileBytes()) {
            throw refused(entry.path(), "has more than " + limits.maxFileBytes() + " bytes", LEAVE);
        }
        if (!fits(entry.major(), SpecialFile.MAX_MAJOR) || !fits(entry.minor(), SpecialFile.MAX_MINOR)) {
            throw refused(entry.path(), "is a device of a number that no image can have", LEAVE);
        }
        add(entry);
    }

    private static boolean fits(int number, int most) {
        return Integer.compareUnsigned(number, most) <= 0;
    }

    @Override
    public void attribute(String name, byte[] value) {
        Draft last = last();
        if (last.xattrs.isEmpty()) {
            last.xattrs = new HashMap<>();
        }
        last.xattrs.put(Bytes.of(RawText.encode(name)), Bytes.of(value));
        account(name.length() + value.length);
    }

    @Override
    public void opaque() {
        add(mark(below(last().entry.path(), OPAQUE)));
    }

    @Override
    public void removed(String path) {
        int slash = path.lastIndexOf('/');
        String name = path.substring(slash + 1);
        if (name.startsWith(WHITEOUT)) {
            // No layer can have such a file, so the image has none, and nothing is to be removed.
            return;
        }
        add(mark(below(slash < 0 ? "" : path.substring(0, slash), WHITEOUT + name)));
    }

    private static String below(String directory, String name) {
        return directory.isEmpty() ? name : directory + "/" + name;
    }

    /** A mark is about other layers and nothing by itself, so its facts are always the same. */
    private static Entry mark(String path) {
        return new Entry(Kind.FILE, path, 0, 0, 0, 0, Instant.EPOCH, "", 0, 0);
    }

    @Override
    public void data(long offset, ByteBuffer bytes) {
        Draft file = last();
        long length = bytes.remaining();
        if (spooled + length > limits.maxArchiveBytes()) {
            throw new CommitFailed(
                    "they have more than " + limits.maxArchiveBytes() + " bytes",
                    "Remove files that it need not have.",
                    null);
        }
        if (spooled + length - looked > LOOK_BYTES) {
            requireRoom.run();
            looked = spooled;
        }
        long at = spooled;
        try {
            while (bytes.hasRemaining()) {
                at += spool.write(bytes, at);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        spooled = at;
        extend(file, offset, length);
    }

    private void extend(Draft file, long offset, long length) {
        if (file.segments.isEmpty()) {
            file.segments = new ArrayList<>(1);
        }
        DataSegment before = file.segments.isEmpty() ? null : file.segments.getLast();
        if (before != null && before.offset() + before.length() == offset) {
            file.segments.set(file.segments.size() - 1, new DataSegment(before.offset(), before.length() + length));
            return;
        }
        if (file.segments.size() == limits.maxSparseSegments()) {
            throw refused(file.entry.path(), "has more than " + limits.maxSparseSegments() + " holes", LEAVE);
        }
        account(SEGMENT_BYTES);
        file.segments.add(new DataSegment(offset, length));
    }

    private void add(Entry entry) {
        Bytes path = Bytes.of(RawText.encode(entry.path()));
        if (path.length() > limits.maxPathBytes()
                || entry.path().chars().filter(c -> c == '/').count() >= limits.maxDepth()) {
            throw refused(entry.path(), "lies too deep", LEAVE);
        }
        if (drafts.size() >= limits.maxEntries()) {
            throw new CommitFailed(
                    "they are more than " + limits.maxEntries() + " files",
                    "Remove files that it need not have.",
                    null);
        }
        account(path.length() + entry.linkTarget().length());
        drafts.add(new Draft(entry, path, spooled));
    }

    private Draft last() {
        if (drafts.isEmpty()) {
            throw new IllegalStateException("no entry has come yet");
        }
        return drafts.getLast();
    }

    private void account(long bytes) {
        metadataBytes += bytes;
        if (metadataBytes > limits.maxMetadataBytes()) {
            throw new CommitFailed(
                    "their names and attributes have more than " + limits.maxMetadataBytes() + " bytes",
                    "Remove files that it need not have.",
                    null);
        }
    }

    private static CommitFailed refused(String path, String why, String remedy) {
        return new CommitFailed("'/" + Printable.brief(path, 200) + "' " + why, remedy, null);
    }

    /**
     * Sorts all that was collected; nothing may be added afterwards.
     *
     * @throws CommitFailed if two entries have one path
     */
    public void sort() {
        drafts.sort(Comparator.comparing((Draft draft) -> draft.path));
        for (int i = 1; i < drafts.size(); i++) {
            if (drafts.get(i).path.equals(drafts.get(i - 1).path)) {
                throw refused(drafts.get(i).entry.path(), "came twice, or changed while it was read", "Commit again.");
            }
        }
    }

    /** Returns the archive of what was {@linkplain #sort sorted}, as a stream. */
    public InputStream archive() {
        return new Joined(Stream.concat(
                        drafts.stream().flatMap(this::parts),
                        Stream.<InputStream>of(new ByteArrayInputStream(new byte[END_BLOCKS])))
                .iterator());
    }

    private Stream<InputStream> parts(Draft draft) {
        byte[] header = TarEntryHeader.of(entry(draft));
        long length = draft.segments.stream().mapToLong(DataSegment::length).sum();
        return Stream.of(
                new ByteArrayInputStream(header),
                new Stretch(draft.start, length),
                new ByteArrayInputStream(new byte[TarEntryHeader.padding(length)]));
    }

    private static TarEntry entry(Draft draft) {
        Entry entry = draft.entry;
        Instant modified = entry.modified();
        boolean file = entry.kind() == Kind.FILE;
        boolean device = entry.kind() == Kind.CHARACTER_DEVICE || entry.kind() == Kind.BLOCK_DEVICE;
        return new TarEntry(
                type(entry.kind()),
                draft.path,
                Bytes.of(RawText.encode(entry.linkTarget())),
                entry.mode(),
                (int) entry.uid(),
                (int) entry.gid(),
                new TarNumbers.Time(modified.getEpochSecond(), modified.getNano()),
                file ? entry.size() : 0,
                file ? draft.segments : List.of(),
                device ? entry.major() : 0,
                device ? entry.minor() : 0,
                Collections.unmodifiableMap(draft.xattrs));
    }

    private static TarEntry.Type type(Kind kind) {
        return switch (kind) {
            case FILE -> TarEntry.Type.REGULAR;
            case DIRECTORY -> TarEntry.Type.DIRECTORY;
            case SYMBOLIC_LINK -> TarEntry.Type.SYMLINK;
            case FIFO -> TarEntry.Type.FIFO;
            case CHARACTER_DEVICE -> TarEntry.Type.CHARACTER_DEVICE;
            case BLOCK_DEVICE -> TarEntry.Type.BLOCK_DEVICE;
        };
    }

    /** A part of the spool. */
    private final class Stretch extends InputStream {
        private long at;
        private long left;

        private Stretch(long start, long length) {
            this.at = start;
            this.left = length;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int count = spool.read(ByteBuffer.wrap(target, offset, (int) Math.min(length, left)), at);
            if (count < 0) {
                throw new IOException("the collected files are shorter than they were");
            }
            at += count;
            left -= count;
            return count;
        }
    }

    /** Reads one stream after the other. */
    private static final class Joined extends InputStream {
        private final Iterator<InputStream> parts;
        private InputStream part = InputStream.nullInputStream();

        private Joined(Iterator<InputStream> parts) {
            this.parts = parts;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            int count = part.read(target, offset, length);
            while (count < 0 && parts.hasNext()) {
                part = parts.next();
                count = part.read(target, offset, length);
            }
            return count;
        }
    }
}
