package dev.cloche.machine.archive;

import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FileHandle;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Writes and reads a file with holes as an entry of a tar, in the form 1.0 of GNU tar, which unpacks it: the content
 * begins with a map of what is no hole, in decimal lines, padded to a block. Stateless.
 */
final class SparseEntry {
    private static final int BUFFER = 1 << 20;
    /** Holes that are smaller are written out, so that the map stays short. */
    private static final long LEAST_HOLE = 64 << 10;

    private static final int MOST_PIECES = 4 << 20;

    private SparseEntry() {}

    private record Piece(long offset, long length) {}

    static void write(OutputStream out, String name, Path file) throws IOException {
        try (DirectoryHandle directory =
                        DirectoryHandle.open(file.toAbsolutePath().resolveSibling(""));
                FileHandle source = directory.openFile(String.valueOf(file.getFileName()))) {
            long size = source.status().size();
            List<Piece> pieces = pieces(source, size);
            StringBuilder lines = new StringBuilder().append(pieces.size()).append('\n');
            long data = 0;
            for (Piece piece : pieces) {
                lines.append(piece.offset()).append('\n').append(piece.length()).append('\n');
                data += piece.length();
            }
            byte[] map = lines.toString().getBytes(StandardCharsets.US_ASCII);
            long mapBytes = (long) map.length + TarEntries.padding(map.length);
            TarEntries.write(
                    out,
                    new TarEntries.Entry(
                            name,
                            mapBytes + data,
                            Map.of(
                                    "GNU.sparse.major",
                                    "1",
                                    "GNU.sparse.minor",
                                    "0",
                                    "GNU.sparse.name",
                                    name,
                                    "GNU.sparse.realsize",
                                    String.valueOf(size))));
            out.write(map);
            TarEntries.pad(out, map.length);
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            for (Piece piece : pieces) {
                copy(source, piece, buffer, out);
            }
            TarEntries.pad(out, mapBytes + data);
        }
    }

    private static List<Piece> pieces(FileHandle source, long size) throws IOException {
        List<Piece> pieces = new ArrayList<>();
        OptionalLong data = source.nextData(0);
        while (data.isPresent() && data.getAsLong() < size) {
            long end = Math.min(size, source.endOfData(data.getAsLong()));
            if (!pieces.isEmpty()
                    && data.getAsLong()
                                    - pieces.getLast().offset()
                                    - pieces.getLast().length()
                            < LEAST_HOLE) {
                Piece last = pieces.removeLast();
                pieces.add(new Piece(last.offset(), end - last.offset()));
            } else {
                pieces.add(new Piece(data.getAsLong(), end - data.getAsLong()));
            }
            data = source.nextData(end);
        }
        if (pieces.isEmpty() || pieces.getLast().offset() + pieces.getLast().length() < size) {
            // GNU tar makes the file as long as its last piece says.
            pieces.add(new Piece(size, 0));
        }
        return pieces;
    }

    private static void copy(FileHandle source, Piece piece, ByteBuffer buffer, OutputStream out) throws IOException {
        long at = piece.offset();
        long end = piece.offset() + piece.length();
        byte[] bytes = new byte[BUFFER];
        while (at < end) {
            buffer.clear().limit((int) Math.min(BUFFER, end - at));
            int read = source.read(buffer, at);
            if (read <= 0) {
                throw new IOException("the disk was cut while it was read");
            }
            buffer.flip();
            buffer.get(bytes, 0, read);
            out.write(bytes, 0, read);
            at += read;
        }
    }

    /**
     * Writes the file of an entry whose header was just read.
     *
     * @param size that the file has to have
     * @throws IOException if the entry says anything else, or wants to write more than fits on this disk
     */
    static void read(InputStream in, TarEntries.Entry entry, Path file, long size) throws IOException {
        Map<String, String> pax = entry.pax();
        if (!"1".equals(pax.get("GNU.sparse.major"))
                || !"0".equals(pax.get("GNU.sparse.minor"))
                || TarEntries.number(pax.get("GNU.sparse.realsize")) != size
                || entry.size() > size + ((long) MOST_PIECES << 5)) {
            throw new IOException("its disk is not of the form or of the size that it says");
        }
        MapReader map = new MapReader(in);
        List<Piece> pieces = map.pieces(size);
        long data = pieces.stream().mapToLong(Piece::length).sum();
        if (map.bytes() + data != entry.size()) {
            throw new IOException("its disk is not as long as it says");
        }
        if (data > file.toAbsolutePath().resolveSibling("").toFile().getUsableSpace()) {
            throw new IOException("there is no room here for its " + data + " bytes");
        }
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            byte[] buffer = new byte[BUFFER];
            for (Piece piece : pieces) {
                receive(in, out, piece, buffer);
            }
            if (size > 0 && out.size() < size) {
                out.write(ByteBuffer.allocate(1), size - 1);
            }
            out.force(true);
        }
        TarEntries.skipPadding(in, entry.size());
    }

    private static void receive(InputStream in, FileChannel out, Piece piece, byte[] buffer) throws IOException {
        long at = piece.offset();
        long end = piece.offset() + piece.length();
        while (at < end) {
            int read = in.read(buffer, 0, (int) Math.min(buffer.length, end - at));
            if (read < 0) {
                throw new IOException("it ends too early");
            }
            ByteBuffer left = ByteBuffer.wrap(buffer, 0, read);
            while (left.hasRemaining()) {
                at += out.write(left, at);
            }
        }
    }

    /** Reads the map line by line and knows how long it was. */
    private static final class MapReader {
        private final InputStream in;
        private long bytes;

        MapReader(InputStream in) {
            this.in = in;
        }

        List<Piece> pieces(long size) throws IOException {
            long count = line();
            if (count > MOST_PIECES) {
                throw new IOException("its disk is in too many pieces");
            }
            List<Piece> pieces = new ArrayList<>();
            long before = 0;
            for (long i = 0; i < count; i++) {
                Piece piece = new Piece(line(), line());
                if (piece.offset() < before || piece.length() > size - piece.offset()) {
                    throw new IOException("the pieces of its disk are not in order");
                }
                before = piece.offset() + piece.length();
                pieces.add(piece);
            }
            int padding = TarEntries.padding(bytes);
            TarEntries.skipPadding(in, bytes);
            bytes += padding;
            return pieces;
        }

        long bytes() {
            return bytes;
        }

        private long line() throws IOException {
            StringBuilder digits = new StringBuilder();
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0 || digits.length() > 18) {
                    throw new IOException("the map of its disk is damaged");
                }
                digits.append((char) c);
            }
            bytes += digits.length() + 1;
            return TarEntries.number(digits.toString());
        }
    }
}
