package dev.cloche.catalog;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The right to change a catalog as a whole: to make or migrate its tables, to copy it, to put a copy in its place. To be closed by
 * the thread that took it.
 *
 * <p>A file beside the catalog, which is never deleted: a name that is deleted under its lock guards nothing.
 */
final class CatalogLock implements AutoCloseable {
    /** Kernel locks are held by processes, so threads of one process need a lock of their own. */
    private static final ReentrantLock WITHIN_PROCESS = new ReentrantLock();

    private final FileChannel channel;

    private CatalogLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Waits for it. */
    static CatalogLock take(Path catalog) throws IOException {
        WITHIN_PROCESS.lock();
        return locked(catalog, FileChannel::lock).orElseThrow();
    }

    /** Empty if anybody has it. */
    static Optional<CatalogLock> tryTake(Path catalog) throws IOException {
        return WITHIN_PROCESS.tryLock() ? locked(catalog, FileChannel::tryLock) : Optional.empty();
    }

    private interface Taking {
        FileLock of(FileChannel channel) throws IOException;
    }

    private static Optional<CatalogLock> locked(Path catalog, Taking taking) throws IOException {
        FileChannel channel = null;
        boolean taken = false;
        try {
            Path file = catalog.resolveSibling(catalog.getFileName() + ".lock");
            Migrations.createForOwner(file);
            channel = FileChannel.open(file, StandardOpenOption.WRITE);
            taken = taking.of(channel) != null;
            return taken ? Optional.of(new CatalogLock(channel)) : Optional.empty();
        } finally {
            if (!taken) {
                if (channel != null) {
                    channel.close();
                }
                WITHIN_PROCESS.unlock();
            }
        }
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            WITHIN_PROCESS.unlock();
        }
    }
}
