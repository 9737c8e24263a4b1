package dev.cloche.image.tar;

import dev.cloche.erofs.Bytes;
import dev.cloche.image.ArchiveLimits;
import dev.cloche.image.CorruptArchiveException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts one entry together from its header and the extended headers before it. */
final class TarEntryReader {
    private static final Bytes PATH = Bytes.utf8("path");
    private static final Bytes LINK_PATH = Bytes.utf8("linkpath");
    private static final Bytes SIZE = Bytes.utf8("size");
    private static final Bytes UID = Bytes.utf8("uid");
    private static final Bytes GID = Bytes.utf8("gid");
    private static final Bytes MTIME = Bytes.utf8("mtime");
    private static final Bytes SPARSE_MAJOR = Bytes.utf8("GNU.sparse.major");
    private static final Bytes SPARSE_MINOR = Bytes.utf8("GNU.sparse.minor");
    private static final Bytes SPARSE_NAME = Bytes.utf8("GNU.sparse.name");
    private static final Bytes SPARSE_SIZE = Bytes.utf8("GNU.sparse.size");
    private static final Bytes SPARSE_REAL_SIZE = Bytes.utf8("GNU.sparse.realsize");
    private static final Bytes SPARSE_MAP = Bytes.utf8("GNU.sparse.map");

    /** To the kernel "no change", and no owner that a file can have. */
    private static final long NO_OWNER = 0xffff_ffffL;

    private final TarHeader header;
    private final PaxHeaders pax;
    private final TarInput input;
    private final ArchiveLimits limits;

    TarEntryReader(TarHeader header, PaxHeaders pax, TarInput input, ArchiveLimits limits) {
        this.header = header;
        this.pax = pax;
        this.input = input;
        this.limits = limits;
    }

    TarEntry read(@Nullable Bytes longPath, @Nullable Bytes longTarget, TarReader reader) throws IOException {
        Bytes path = first(longPath, pax.get(SPARSE_NAME), pax.get(PATH), header.path());
        TarEntry.Type type = type(path);
        boolean link = type == TarEntry.Type.SYMLINK || type == TarEntry.Type.HARD_LINK;
        Bytes target = link ? first(longTarget, pax.get(LINK_PATH), null, header.linkTarget()) : Bytes.EMPTY;
        checkPath(path);
        checkPath(target);
        boolean device = type == TarEntry.Type.CHARACTER_DEVICE || type == TarEntry.Type.BLOCK_DEVICE;
        Data data = data(type, reader);
        return new TarEntry(
                type,
                path,
                target,
                header.mode(),
                id(UID, header.uid()),
                id(GID, header.gid()),
                modified(),
                data.size,
                data.segments,
                device ? header.major() : 0,
                device ? header.minor() : 0,
                pax.xattrs());
    }

    private TarEntry.Type type(Bytes path) {
        char type = header.type();
        return switch (type) {
            // Before ustar a directory was an empty file whose name ends with a slash, and such are still written.
            case '0', '\0', '7', 'S' ->
                endsWithSlash(path) && stored() == 0 ? TarEntry.Type.DIRECTORY : TarEntry.Type.REGULAR;
            case '1' -> TarEntry.Type.HARD_LINK;
            case '2' -> TarEntry.Type.SYMLINK;
            case '3' -> TarEntry.Type.CHARACTER_DEVICE;
            case '4' -> TarEntry.Type.BLOCK_DEVICE;
            case '5', 'D' -> TarEntry.Type.DIRECTORY;
            case '6' -> TarEntry.Type.FIFO;
            default ->
                throw new CorruptArchiveException(
                        "the entry " + path + " has the unknown type 0x" + Integer.toHexString(type));
        };
    }

    private Data data(TarEntry.Type type, TarReader reader) throws IOException {
        long stored = stored();
        if (stored < 0) {
            throw new CorruptArchiveException("an entry claims " + stored + " bytes");
        }
        if (type != TarEntry.Type.REGULAR) {
            // The size of a link is that of its target in some archives, and has no content. Only the lists of
            // incremental dumps and old-style directories have some.
            boolean hasList = type == TarEntry.Type.DIRECTORY && header.type() != '5';
            reader.openBody(hasList ? stored : 0);
            return new Data(0, List.of());
        }
        Data data = regular(stored, reader);
        if (data.size > limits.maxFileBytes()) {
            throw new CorruptArchiveException("a file has more than " + limits.maxFileBytes() + " bytes");
        }
        return data;
    }

    private long stored() {
        Bytes paxSize = pax.get(SIZE);
        return paxSize == null ? header.size() : TarNumbers.decimal(paxSize);
    }

    private Data regular(long stored, TarReader reader) throws IOException {
        int max = limits.maxSparseSegments();
        if (header.type() == 'S') {
            SparseMap map = SparseMap.old(header, input, max);
            reader.openBody(stored);
            long size = SparseMap.oldRealSize(header);
            return new Data(size, map.check(size, stored));
        }
        reader.openBody(stored);
        Bytes realSize = first(pax.get(SPARSE_REAL_SIZE), pax.get(SPARSE_SIZE), null, Bytes.EMPTY);
        Bytes list = pax.get(SPARSE_MAP);
        SparseMap map;
        if (isVersion1()) {
            map = SparseMap.lines(reader::takeBlock, max);
        } else if (list != null) {
            map = SparseMap.commas(list, max);
        } else if (!pax.sparsePairs().isEmpty()) {
            map = SparseMap.pairs(pax.sparsePairs(), max);
        } else {
            return new Data(stored, TarReader.dense(stored));
        }
        long size = TarNumbers.decimal(realSize);
        return new Data(size, map.check(size, reader.bodyLeft()));
    }

    private boolean isVersion1() {
        Bytes major = pax.get(SPARSE_MAJOR);
        if (major == null || TarNumbers.decimal(major) == 0) {
            return false;
        }
        Bytes minor = pax.get(SPARSE_MINOR);
        if (TarNumbers.decimal(major) != 1 || (minor != null && TarNumbers.decimal(minor) != 0)) {
            throw new CorruptArchiveException("a sparse file has the unknown format " + major + "." + minor);
        }
        return true;
    }

    private int id(Bytes key, long fromHeader) {
        Bytes text = pax.get(key);
        long id = text == null ? fromHeader : TarNumbers.decimal(text);
        if (id < 0 || id >= NO_OWNER) {
            throw new CorruptArchiveException("an owner has the impossible number " + id);
        }
        return (int) id;
    }

    private TarNumbers.Time modified() {
        Bytes text = pax.get(MTIME);
        return text == null ? new TarNumbers.Time(header.seconds(), 0) : TarNumbers.time(text);
    }

    private void checkPath(Bytes path) {
        if (path.length() > limits.maxPathBytes()) {
            throw new CorruptArchiveException("a path has more than " + limits.maxPathBytes() + " bytes");
        }
        if (path.contains('\0')) {
            throw new CorruptArchiveException("a path contains a NUL");
        }
    }

    private static boolean endsWithSlash(Bytes path) {
        return !path.isEmpty() && path.at(path.length() - 1) == '/';
    }

    private static Bytes first(@Nullable Bytes one, @Nullable Bytes two, @Nullable Bytes three, Bytes last) {
        if (one != null) {
            return one;
        }
        if (two != null) {
            return two;
        }
        return three != null ? three : last;
    }

    private record Data(long size, List<DataSegment> segments) {}
}
