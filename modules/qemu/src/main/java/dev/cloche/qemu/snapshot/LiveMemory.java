package dev.cloche.qemu.snapshot;

import dev.cloche.base.DurableFiles;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.PrivateDirectory;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Places the memory of a template's maker while it runs, and makes of it the {@link SnapshotMemory} of a snapshot. */
public final class LiveMemory {
    private static final int PAGE = 4096;
    private static final int BUFFER = 256 * PAGE;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(PAGE);

    private LiveMemory() {}

    /**
     * Chooses the place, without making the file: in memory where at least twice its size is free there, because a tmpfs that
     * runs full kills QEMU; else on the disk.
     */
    public static Path place(VmLayout layout, VmSpec spec) {
        Path inMemory = layout.sharedMemory(spec.id());
        try {
            Path directory = layout.sharedMemory();
            PrivateDirectory.ensure(layout.sharedMemoryOfUser());
            PrivateDirectory.ensure(directory);
            Files.deleteIfExists(inMemory);
            long wanted = 2 * bytes(spec.memoryMiB());
            if (Files.getFileStore(directory).getUsableSpace() >= wanted) {
                return inMemory;
            }
        } catch (IOException | VmException.Storage noSharedMemory) {
            System.getLogger(LiveMemory.class.getName())
                    .log(System.Logger.Level.DEBUG, "a template is made on the disk", noSharedMemory);
        }
        return layout.memoryOnDisk(spec.id());
    }

    /** Makes an empty file there, which QEMU brings to its length. */
    public static Path begin(VmLayout layout, VmSpec spec) throws IOException {
        Path ram = place(layout, spec);
        Files.deleteIfExists(ram);
        DurableFiles.create(ram).close();
        return ram;
    }

    /** Returns where {@link #place} has put it. */
    static Path placed(VmLayout layout, VmId id) {
        Path inMemory = layout.sharedMemory(id);
        return Files.exists(inMemory) ? inMemory : layout.memoryOnDisk(id);
    }

    static long bytes(int mebibytes) {
        return (long) mebibytes << 20;
    }

    /** Copies it into a new file, leaving holes where pages are empty. */
    public static void copy(Path ram, Path target) throws IOException {
        try (FileChannel from = FileChannel.open(ram, StandardOpenOption.READ);
                FileChannel to = DurableFiles.create(target)) {
            long size = from.size();
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            for (long at = 0; at < size; at += BUFFER) {
                buffer.clear();
                while (buffer.hasRemaining() && from.read(buffer, at + buffer.position()) > 0) {}
                buffer.flip();
                writeUsed(buffer, to, at);
            }
            if (size > 0 && to.size() < size) {
                // Gives it its length, also where the last page is empty.
                to.write(ByteBuffer.allocate(1), size - 1);
            }
        }
    }

    /** Writes runs of pages that are not empty. */
    private static void writeUsed(ByteBuffer buffer, FileChannel to, long at) throws IOException {
        int length = buffer.limit();
        int start = 0;
        while (start < length) {
            int end = start;
            while (end < length && !empty(buffer, end, length)) {
                end = Math.min(length, end + PAGE);
            }
            ByteBuffer run = buffer.slice(start, end - start);
            long position = at + start;
            while (run.hasRemaining()) {
                position += to.write(run, position);
            }
            start = end < length ? Math.min(length, end + PAGE) : length;
        }
    }

    private static boolean empty(ByteBuffer buffer, int page, int length) {
        int size = Math.min(PAGE, length - page);
        return buffer.slice(page, size).mismatch(ZEROS.slice(0, size)) < 0;
    }
}
