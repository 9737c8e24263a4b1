package dev.cloche.qemu.snapshot;

import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FastSha256;
import dev.cloche.linux.FileHandle;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.OptionalLong;

/**
 * SHA-256 of a sparse file's content, in the time that its data take: of its size, and, for each page of 4 KiB that is not
 * empty, of its offset and its bytes, numbers of 8 bytes with the highest first. Whether an empty page is a hole or zeros is no
 * matter, so copies have the digest of their original.
 */
final class SparseDigest {
    private static final int PAGE = 4096;
    private static final int BUFFER = 256 * PAGE;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PAGE);

    private final MessageDigest digest = FastSha256.fastest();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    private final byte[] page = new byte[Long.BYTES + PAGE];
    private final FileHandle file;
    private final long size;

    private SparseDigest(FileHandle file) {
        this.file = file;
        size = file.status().size();
    }

    /**
     * 64 hexadecimal digits.
     *
     * @throws IOException also if it becomes shorter meanwhile
     */
    static String of(Path path) throws IOException {
        try (DirectoryHandle directory = DirectoryHandle.open(path.resolveSibling(""));
                FileHandle file = directory.openFile(path.getFileName().toString())) {
            return new SparseDigest(file).all();
        } catch (SystemCallException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private String all() throws IOException {
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, size).array());
        OptionalLong data = file.nextData(0);
        while (data.isPresent()) {
            // A file system's blocks may be smaller than our pages.
            long start = data.getAsLong() / PAGE * PAGE;
            long end = Math.min(size, Math.ceilDiv(file.endOfData(data.getAsLong()), (long) PAGE) * PAGE);
            for (long at = start; at < end; at += BUFFER) {
                read(at, (int) Math.min(BUFFER, end - at));
                pages(at);
            }
            data = end < size ? file.nextData(end) : OptionalLong.empty();
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private void read(long offset, int length) throws IOException {
        buffer.clear().limit(length);
        while (buffer.hasRemaining()) {
            if (file.read(buffer, offset + buffer.position()) == 0) {
                throw new IOException("it was cut while it was read");
            }
        }
        buffer.flip();
    }

    private void pages(long offset) {
        for (int at = 0; at < buffer.limit(); at += PAGE) {
            int length = Math.min(PAGE, buffer.limit() - at);
            if (buffer.slice(at, length).mismatch(ZEROS.slice(0, length)) >= 0) {
                ByteBuffer.wrap(page).putLong(0, offset + at);
                buffer.get(at, page, Long.BYTES, length);
                digest.update(page, 0, Long.BYTES + length);
            }
        }
    }
}
