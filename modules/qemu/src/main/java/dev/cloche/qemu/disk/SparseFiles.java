package dev.cloche.qemu.disk;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FileHandle;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Files whose holes take no space, and shall not take any in a copy. */
public final class SparseFiles {
    private static final int BUFFER = 1 << 20;

    private SparseFiles() {}

    /** Makes a file, or lengthens an empty one, that is one hole. */
    public static void make(Path file, long length) throws IOException {
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(length);
        }
    }

    /** Copies a file that is not being written to into a new one, hole by hole, and forces the copy to disk. */
    public static void copy(Path from, Path to) throws IOException {
        try (DirectoryHandle directory = DirectoryHandle.open(from.resolveSibling(""));
                FileHandle source = directory.openFile(from.getFileName().toString());
                FileChannel target = DurableFiles.create(to)) {
            long size = source.status().size();
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            OptionalLong data = source.nextData(0);
            while (data.isPresent()) {
                long end = source.endOfData(data.getAsLong());
                copy(source, target, data.getAsLong(), end, buffer);
                data = source.nextData(end);
            }
            if (target.size() < size) {
                target.write(ByteBuffer.allocate(1), size - 1);
            }
        }
        DurableFiles.force(to);
    }

    private static void copy(FileHandle source, FileChannel target, long from, long end, ByteBuffer buffer)
            throws IOException {
        long at = from;
        while (at < end) {
            buffer.clear().limit((int) Math.min(BUFFER, end - at));
            if (source.read(buffer, at) == 0) {
                throw new IOException("the file was cut while it was copied");
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                at += target.write(buffer, at);
            }
        }
    }
}
