package dev.cloche.catalog;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Holds the right to change a catalog as a whole: to make or migrate its tables, to copy it, to put a copy in its place.
 *
 * <p>A file beside the catalog, which is never deleted: a name that is deleted under its lock guards nothing.
 */
final class CatalogLock implements AutoCloseable {
    private final LockFile lock;

    private CatalogLock(LockFile lock) {
        this.lock = lock;
    }

    /**
     * Waits for it.
     *
     * @throws ClosedByInterruptException if the thread is interrupted, which it stays
     */
    static CatalogLock take(Path catalog) throws IOException {
        try {
            return new CatalogLock(LockFile.lock(file(catalog), Deadline.none()).orElseThrow());
        } catch (SystemCallException e) {
            throw new IOException(e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClosedByInterruptException();
        }
    }

    /** Takes it unless another has it. */
    static Optional<CatalogLock> tryTake(Path catalog) throws IOException {
        try {
            return LockFile.tryLock(file(catalog)).map(CatalogLock::new);
        } catch (SystemCallException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Path file(Path catalog) throws IOException {
        Path file = catalog.resolveSibling(catalog.getFileName() + ".lock");
        CatalogMigrations.createForOwner(file);
        return file;
    }

    @Override
    public void close() {
        lock.close();
    }
}
