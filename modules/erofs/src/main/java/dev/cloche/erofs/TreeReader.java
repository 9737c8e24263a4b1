package dev.cloche.erofs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One walk over one image; believes nothing of what it reads. */
final class TreeReader {
    private final Path file;
    private final BlockInput input;
    private final Superblock superblock;
    private final ReadLimits limits;

    private final Map<Long, Inode> linked = new HashMap<>();
    private final Set<Long> directories = new HashSet<>();
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private long entries;
    private long metadataBytes;

    TreeReader(Path file, BlockInput input, Superblock superblock, ReadLimits limits) {
        this.file = file;
        this.input = input;
        this.superblock = superblock;
        this.limits = limits;
    }

    Directory read() throws IOException {
        long rootNid = superblock.rootNid();
        if (!(inode(rootNid, rootNid, 0) instanceof Directory root)) {
            throw corrupt("its root is no directory");
        }
        for (Pending next = pending.poll(); next != null; next = pending.poll()) {
            fill(next);
        }
        return root;
    }

    private Inode inode(long nid, long parentNid, int depth) throws IOException {
        Inode known = linked.get(nid);
        if (known != null) {
            return known;
        }
        if (nid < 0 || nid > input.size() / ErofsFormat.SLOT) {
            throw corrupt("it refers to an inode outside of itself");
        }
        long position = superblock.metadataBlock() * ErofsFormat.BLOCK + nid * ErofsFormat.SLOT;
        RawInode raw = RawInode.decode(position, input.read(position, ErofsFormat.INODE));
        if (!raw.extended() || raw.size() < 0 || raw.nanos() < 0 || raw.nanos() > 999_999_999) {
            throw corrupt("inode " + nid + " is malformed");
        }
        Attributes attributes =
                new Attributes(raw.mode() & 07777, raw.uid(), raw.gid(), raw.seconds(), raw.nanos(), xattrs(raw));
        Inode inode = switch (raw.type()) {
            case ErofsFormat.S_IFDIR -> directory(raw, attributes, new Numbers(nid, parentNid, depth));
            case ErofsFormat.S_IFREG -> new RegularFile(attributes, data(raw));
            case ErofsFormat.S_IFLNK -> symlink(raw, attributes);
            default -> special(raw, attributes);
        };
        if (raw.links() != 1 && !(inode instanceof Directory)) {
            linked.put(nid, inode);
        }
        return inode;
    }

    private Xattrs xattrs(RawInode raw) throws IOException {
        long size = XattrCodec.sizeOfCount(raw.xattrCount());
        if (size == 0) {
            return Xattrs.NONE;
        }
        Xattrs xattrs = XattrCodec.read(input.read(raw.position() + ErofsFormat.INODE, account(size)));
        if (xattrs == null) {
            throw corrupt("it has malformed extended attributes");
        }
        return xattrs;
    }

    private Directory directory(RawInode raw, Attributes attributes, Numbers numbers) {
        if (!directories.add(numbers.nid)) {
            throw corrupt("a directory is reached twice");
        }
        if (numbers.depth > limits.maxDepth()) {
            throw corrupt("its directories are nested more than " + limits.maxDepth() + " deep");
        }
        Directory directory = new Directory(attributes);
        pending.add(new Pending(directory, raw, numbers));
        return directory;
    }

    private FileData data(RawInode raw) throws IOException {
        return switch (raw.dataLayout()) {
            case ErofsFormat.FLAT_PLAIN -> {
                long block = raw.placeUnsigned();
                if (raw.size() == 0) {
                    yield FileData.empty();
                }
                checkBlocks(block, ErofsFormat.blocks(raw.size()));
                yield new FileData.Contiguous(raw.size(), block);
            }
            case ErofsFormat.CHUNK_BASED -> chunks(raw);
            default -> throw corrupt("a file has an unknown layout");
        };
    }

    private FileData chunks(RawInode raw) throws IOException {
        if ((raw.place() & ~ErofsFormat.CHUNK_BITS_MASK) != 0 || raw.size() == 0) {
            throw corrupt("a file has unknown chunks");
        }
        int bits = raw.place() + ErofsFormat.BLOCK_BITS;
        long count = ((raw.size() - 1) >>> bits) + 1;
        if (count > input.size()) {
            throw corrupt("a file has more chunks than fit");
        }
        byte[] addresses = input.read(raw.behind(), account(count * ErofsFormat.CHUNK_ADDRESS));
        List<FileData.ChunkRun> runs = new ArrayList<>();
        long blocksPerChunk = 1L << (bits - ErofsFormat.BLOCK_BITS);
        for (int chunk = 0; chunk < count; chunk++) {
            if (LittleEndian.s32(addresses, chunk * ErofsFormat.CHUNK_ADDRESS) == ErofsFormat.NULL_ADDRESS) {
                continue;
            }
            long block = LittleEndian.u32(addresses, chunk * ErofsFormat.CHUNK_ADDRESS);
            long bytes = Math.min(1L << bits, raw.size() - ((long) chunk << bits));
            checkBlocks(block, ErofsFormat.blocks(bytes));
            FileData.ChunkRun last = runs.isEmpty() ? null : runs.getLast();
            if (last != null
                    && last.chunk() + last.count() == chunk
                    && last.block() + last.count() * blocksPerChunk == block) {
                runs.set(runs.size() - 1, new FileData.ChunkRun(last.chunk(), last.count() + 1, last.block()));
            } else {
                runs.add(new FileData.ChunkRun(chunk, 1, block));
            }
        }
        return new FileData.Chunked(raw.size(), bits, runs);
    }

    private void checkBlocks(long block, long count) {
        if (block == 0 || count > superblock.blocks() || block > superblock.blocks() - count) {
            throw corrupt("a file has content outside of the image");
        }
    }

    private Symlink symlink(RawInode raw, Attributes attributes) throws IOException {
        if (raw.size() < 1 || raw.size() > Symlink.MAX_TARGET) {
            throw corrupt("a symbolic link has an impossible length");
        }
        Bytes target = Bytes.of(content(raw));
        if (target.contains('\0')) {
            throw corrupt("a symbolic link has an impossible target");
        }
        return new Symlink(attributes, target);
    }

    private SpecialFile special(RawInode raw, Attributes attributes) {
        SpecialFile.Kind kind = switch (raw.type()) {
            case ErofsFormat.S_IFCHR -> SpecialFile.Kind.CHARACTER_DEVICE;
            case ErofsFormat.S_IFBLK -> SpecialFile.Kind.BLOCK_DEVICE;
            case ErofsFormat.S_IFIFO -> SpecialFile.Kind.FIFO;
            case ErofsFormat.S_IFSOCK -> SpecialFile.Kind.SOCKET;
            default -> throw corrupt("an inode has an unknown type");
        };
        boolean device = raw.type() == ErofsFormat.S_IFCHR || raw.type() == ErofsFormat.S_IFBLK;
        if (raw.size() != 0 || raw.dataLayout() != ErofsFormat.FLAT_PLAIN || (!device && raw.place() != 0)) {
            throw corrupt("a special file is malformed");
        }
        return new SpecialFile(attributes, kind, SpecialFile.majorOf(raw.place()), SpecialFile.minorOf(raw.place()));
    }

    /** Returns the content of a directory or link, inline or in blocks of its own. */
    private byte[] content(RawInode raw) throws IOException {
        return switch (raw.dataLayout()) {
            case ErofsFormat.FLAT_INLINE -> input.read(raw.behind(), account(raw.size()));
            case ErofsFormat.FLAT_PLAIN -> input.read(raw.placeUnsigned() * ErofsFormat.BLOCK, account(raw.size()));
            default -> throw corrupt("a directory or symbolic link has an unknown layout");
        };
    }

    private void fill(Pending next) throws IOException {
        byte[] content = content(next.raw);
        Bytes last = Bytes.EMPTY;
        boolean dot = false;
        boolean dotDot = false;
        for (int begin = 0; begin < content.length; begin += ErofsFormat.BLOCK) {
            int end = Math.min(content.length, begin + ErofsFormat.BLOCK);
            for (DirectoryEntry entry : entriesOf(content, begin, end)) {
                Bytes name = entry.name();
                if (name.compareTo(last) <= 0) {
                    throw corrupt("a directory is not sorted");
                }
                last = name;
                if (name.equals(DirectoryBlocks.DOT)) {
                    dot = entry.nid() == next.numbers.nid;
                } else if (name.equals(DirectoryBlocks.DOT_DOT)) {
                    dotDot = entry.nid() == next.numbers.parentNid;
                } else {
                    add(entry, next);
                }
            }
        }
        if (!dot || !dotDot) {
            throw corrupt("a directory does not refer to itself and the one above");
        }
    }

    private List<DirectoryEntry> entriesOf(byte[] content, int begin, int end) {
        List<DirectoryEntry> decoded = DirectoryEntry.decode(content, begin, end);
        if (decoded == null) {
            throw corrupt("a directory is malformed");
        }
        return decoded;
    }

    private void add(DirectoryEntry entry, Pending into) throws IOException {
        entries++;
        if (entries > limits.maxEntries()) {
            throw corrupt("it has more than " + limits.maxEntries() + " entries");
        }
        if (!Directory.nameable(entry.name())) {
            throw corrupt("a file has an impossible name");
        }
        Inode child = inode(entry.nid(), into.numbers.nid, into.numbers.depth + 1);
        if (child.direntType() != entry.type()) {
            throw corrupt("a directory disagrees with an inode about its type");
        }
        into.directory.put(entry.name(), child);
    }

    private long account(long bytes) {
        metadataBytes += bytes;
        if (bytes > limits.maxMetadataBytes() || metadataBytes > limits.maxMetadataBytes()) {
            throw corrupt("it has more than " + limits.maxMetadataBytes() + " bytes of metadata");
        }
        return bytes;
    }

    private CorruptErofsException corrupt(String what) {
        return new CorruptErofsException(file, what);
    }

    private record Numbers(long nid, long parentNid, int depth) {}

    private record Pending(Directory directory, RawInode raw, Numbers numbers) {}

    /** Describes an entry of a directory block. */
    private record DirectoryEntry(long nid, int type, Bytes name) {

        /** Returns the entries of one block; {@code null} if it is malformed. */
        static @Nullable List<DirectoryEntry> decode(byte[] content, int begin, int end) {
            if (end - begin < ErofsFormat.DIRENT) {
                return null;
            }
            int namesAt = LittleEndian.u16(content, begin + 8);
            int count = namesAt / ErofsFormat.DIRENT;
            if (count == 0 || namesAt % ErofsFormat.DIRENT != 0 || begin + namesAt > end) {
                return null;
            }
            List<DirectoryEntry> entries = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                int at = begin + i * ErofsFormat.DIRENT;
                int from = begin + LittleEndian.u16(content, at + 8);
                boolean isLast = i == count - 1;
                int to = isLast ? end : begin + LittleEndian.u16(content, at + ErofsFormat.DIRENT + 8);
                if (from < begin + namesAt || to <= from || to > end) {
                    return null;
                }
                while (isLast && to > from && content[to - 1] == 0) {
                    to--;
                }
                entries.add(new DirectoryEntry(
                        LittleEndian.u64(content, at),
                        Byte.toUnsignedInt(content[at + 10]),
                        Bytes.of(content, from, to - from)));
            }
            return entries;
        }
    }
}
