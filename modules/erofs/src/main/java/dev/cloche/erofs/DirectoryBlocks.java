package dev.cloche.erofs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The content of a directory: blocks of 4 KiB, each with its entries first and their names behind. The kernel searches
 * by bisection, so all names stand in the order of unsigned bytes, {@code .} and {@code ..} among them.
 */
final class DirectoryBlocks {
    static final Bytes DOT = Bytes.utf8(".");
    static final Bytes DOT_DOT = Bytes.utf8("..");

    private DirectoryBlocks() {}

    static boolean isDot(Bytes name) {
        return name.equals(DOT) || name.equals(DOT_DOT);
    }

    /** Bytes of the encoded directory; all blocks but the last count in full. */
    static long size(Directory directory) {
        long full = 0;
        int used = 0;
        for (Entry entry : entries(directory)) {
            if (used + entry.size() > ErofsFormat.BLOCK) {
                full += ErofsFormat.BLOCK;
                used = 0;
            }
            used += entry.size();
        }
        return full + used;
    }

    /** Writes exactly {@link #size} bytes. */
    static void write(Directory directory, BlockOutput out) throws IOException {
        List<Entry> block = new ArrayList<>();
        int used = 0;
        for (Entry entry : entries(directory)) {
            if (used + entry.size() > ErofsFormat.BLOCK) {
                writeBlock(block, ErofsFormat.BLOCK, out);
                block.clear();
                used = 0;
            }
            block.add(entry);
            used += entry.size();
        }
        writeBlock(block, used, out);
    }

    private static void writeBlock(List<Entry> entries, int size, BlockOutput out) throws IOException {
        byte[] encoded = new byte[size];
        int nameAt = entries.size() * ErofsFormat.DIRENT;
        int at = 0;
        for (Entry entry : entries) {
            LittleEndian.u64(encoded, at, entry.target().nid);
            LittleEndian.u16(encoded, at + 8, nameAt);
            encoded[at + 10] = (byte) entry.target().direntType();
            entry.name().copyTo(encoded, nameAt);
            nameAt += entry.name().length();
            at += ErofsFormat.DIRENT;
        }
        out.write(encoded, 0, size);
    }

    private static List<Entry> entries(Directory directory) {
        List<Entry> entries = new ArrayList<>(directory.children().size() + 2);
        // Few names sort before the dots, so they are inserted where they belong instead of sorting everything again.
        Entry dot = new Entry(DOT, directory);
        Entry dotDot = new Entry(DOT_DOT, directory.parent);
        directory.children().headMap(DOT).forEach((name, child) -> entries.add(new Entry(name, child)));
        entries.add(dot);
        for (Map.Entry<Bytes, Inode> child :
                directory.children().subMap(DOT, DOT_DOT).entrySet()) {
            entries.add(new Entry(child.getKey(), child.getValue()));
        }
        entries.add(dotDot);
        directory.children().tailMap(DOT_DOT).forEach((name, child) -> entries.add(new Entry(name, child)));
        return entries;
    }

    private record Entry(Bytes name, Inode target) {
        int size() {
            return ErofsFormat.DIRENT + name.length();
        }
    }
}
