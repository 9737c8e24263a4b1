package dev.cloche.catalog;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.DiskReserve;
import dev.cloche.linux.NativeLibraryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The SQLite database of one state directory, {@code catalog.db}: the facts of one host, shared by its processes.
 *
 * <p>Opening an up-to-date catalog reads one small table and writes nothing. SQLite's native library is taken from
 * {@code org.sqlite.lib.path} and {@code org.sqlite.lib.name} where these system properties are set, and is unpacked
 * into the temporary directory otherwise, which costs a start some 100 ms.
 *
 * <p>On a full disk it can be opened and read as long as there is a {@link DiskReserve}, and written by {@link
 * #writeFromReserve}. On a read-only file system it can be read.
 *
 * <p>Safe for use from many threads and processes. Reads run side by side and never wait for the writer; writes queue.
 */
public final class Catalog implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * What one transaction does.
     *
     * @param <X> what the work itself may throw; the transaction is then rolled back
     */
    @FunctionalInterface
    public interface Work<T, X extends Exception> {
        T run(CatalogTransaction transaction) throws SQLException, X;
    }

    private final Path file;
    private final InstallGate gate;
    private final BusyRetry retry;
    private final CatalogConnections connections;
    private final DiskReserve reserve;
    private final boolean readOnly;
    private final ReentrantLock writing = new ReentrantLock();
    private boolean open;
    /** For as long as it is open, because its owner may have small files to write too. */
    private DiskReserve.@Nullable Loan loan;

    private Catalog(Path file, InstallGate gate, BusyRetry retry, DiskReserve reserve, boolean readOnly) {
        this.file = file;
        this.gate = gate;
        this.retry = retry;
        this.reserve = reserve;
        this.readOnly = readOnly;
        connections = new CatalogConnections(file, readOnly);
    }

    /**
     * Opens the catalog of a state directory, creating both where they are missing, and brings the tables of the given
     * rooms up to date. Rooms of the file that are not given are left alone.
     *
     * @throws CatalogException.Newer if a newer program wrote it; nothing was changed
     * @throws CatalogException.InstallInProgress if the installation is being changed; nothing was changed
     * @throws CatalogException.ReadOnly if it is to be made or migrated, on a read-only file system
     * @throws CatalogException if it cannot be opened, read or migrated
     * @throws NativeLibraryException if SQLite cannot be loaded
     */
    public static Catalog open(Path stateRoot, List<CatalogSchema> schemas) {
        return open(stateRoot, schemas, InstallGate.untilExpiry());
    }

    /**
     * Opens a catalog as {@link #open(Path, List)} does, with a gate that knows more of processes.
     *
     * @throws CatalogException.InstallInProgress if a command that changes the installation does not let it pass
     */
    public static Catalog open(Path stateRoot, List<CatalogSchema> schemas, InstallGate gate) {
        return open(stateRoot, schemas, gate, PATIENCE);
    }

    /** Returns the tables of leases, for opening a catalog in which there are some. */
    public static CatalogSchema leases() {
        return LeaseTable.SCHEMA;
    }

    /**
     * Loads SQLite and what is around it, on behalf of a later {@link #open}, which is then some 40 ms faster in a new JVM.
     * Touches no file of a state directory; a failure shows when the catalog is really opened.
     */
    public static void prepare() {
        try (SqliteConnection connection = SqliteConnection.inMemory()) {
            connection.execute("BEGIN");
            var _ = connection.transaction().first(row -> row.getString(1), "SELECT ?", "");
            connection.execute("COMMIT");
        } catch (SQLException | NativeLibraryException e) {
            System.getLogger(Catalog.class.getName()).log(System.Logger.Level.DEBUG, "SQLite does not load", e);
        }
    }

    static Catalog open(Path stateRoot, List<CatalogSchema> schemas, InstallGate gate, Duration patience) {
        DiskReserve reserve = DiskReserve.in(stateRoot);
        // Even who only reads needs 32 KiB for the index of the log.
        DiskReserve.Loan loan = reserve.borrow();
        try {
            Catalog catalog = retryingWith(
                    loan, () -> open(stateRoot, schemas, gate, new BusyRetry(fileIn(stateRoot), patience), reserve));
            catalog.loan = loan;
            return catalog;
        } catch (Throwable failure) {
            loan.close();
            throw failure;
        }
    }

    private static Catalog open(
            Path stateRoot, List<CatalogSchema> schemas, InstallGate gate, BusyRetry retry, DiskReserve reserve) {
        Path file = retry.file();
        boolean readOnly = ReadOnlyFiles.isReadOnly(stateRoot);
        Catalog catalog = new Catalog(file, gate, retry, reserve, readOnly);
        try {
            if (!readOnly) {
                DurableFiles.ensureDirectory(stateRoot);
            }
            if (!Files.exists(file)) {
                catalog.refuseIfReadOnly();
                CatalogMigrations.createForOwner(file);
            }
            if (catalog.isBehind(schemas)) {
                catalog.refuseIfReadOnly();
                catalog.connections.closeReaders();
                CatalogMigrations.run(file, schemas, gate, retry);
            }
            catalog.opened();
            return catalog;
        } catch (IOException e) {
            catalog.closeAfter(e);
            throw SqliteErrors.translate(file, e);
        } catch (SQLException e) {
            catalog.closeAfter(e);
            throw SqliteErrors.translate(file, e);
        } catch (CatalogException e) {
            catalog.closeAfter(e);
            throw e;
        }
    }

    static Path fileIn(Path stateRoot) {
        return stateRoot.toAbsolutePath().resolve("catalog.db");
    }

    /** One row a room, read without a transaction: what matters is looked at again under the lock of the migrations. */
    private boolean isBehind(List<CatalogSchema> schemas) throws SQLException {
        SqliteConnection reader = connections.borrowReader(retry);
        try {
            return retry.until(() -> {
                gate.refuseIfHeld(reader.transaction());
                return !RoomVersions.due(file, schemas, RoomVersions.read(reader.transaction()))
                        .isEmpty();
            });
        } finally {
            connections.giveBack(reader);
        }
    }

    /**
     * Refuses a transaction, at its beginning, while another process changes the installation.
     *
     * @throws CatalogException.InstallInProgress if one does
     */
    public void refuseDuringInstall(CatalogTransaction transaction) throws SQLException {
        gate.refuseIfHeld(transaction);
    }

    /**
     * Runs queries on one consistent snapshot.
     *
     * @throws X what the work throws
     * @throws CatalogException if the database fails
     */
    public <T, X extends Exception> T read(Work<T, X> work) throws X {
        try {
            SqliteConnection reader = connections.borrowReader(retry);
            try {
                return reader.inTransaction("BEGIN", "COMMIT", retry, work);
            } finally {
                connections.giveBack(reader);
            }
        } catch (SQLException e) {
            throw SqliteErrors.translate(file, e);
        }
    }

    /**
     * Runs statements that take effect all together or not at all. When this returns they are on the disk. The work may
     * read what it wrote; it must be short, because every other writer waits for it, and it must not call
     * {@code write} again.
     *
     * @throws X what the work throws; nothing has been changed
     * @throws CatalogException if the database fails; nothing has been changed
     */
    public <T, X extends Exception> T write(Work<T, X> work) throws X {
        return write(WriteDurability.FORCED, work);
    }

    /**
     * Does as {@link #write(Work)}, and is on the disk when the durability says.
     *
     * @throws X what the work throws; nothing has been changed
     * @throws CatalogException if the database fails; nothing has been changed
     */
    public <T, X extends Exception> T write(WriteDurability durability, Work<T, X> work) throws X {
        return inTurn(durability, "COMMIT", work);
    }

    /**
     * Does as {@link #write}, for work that ends or removes something, and so has to succeed on a full disk: where there is no
     * space, the {@link DiskReserve} is shortened and the work is done again, so it changes nothing but the database.
     *
     * @throws X what the work throws; nothing has been changed
     * @throws CatalogException if the database fails; nothing has been changed
     */
    public <T, X extends Exception> T writeFromReserve(Work<T, X> work) throws X {
        return withReserve(() -> write(work));
    }

    /** Does as {@link #tryWrite}, for work as in {@link #writeFromReserve}. */
    public <T, X extends Exception> Optional<T> tryWriteFromReserve(Duration patience, Work<T, X> work) throws X {
        return withReserve(() -> tryWrite(patience, work));
    }

    private interface Attempt<T, X extends Exception> {
        T run() throws X;
    }

    private <T, X extends Exception> T withReserve(Attempt<T, X> attempt) throws X {
        try (DiskReserve.Loan loan = reserve.borrow()) {
            return retryingWith(loan, attempt);
        }
    }

    private static <T, X extends Exception> T retryingWith(DiskReserve.Loan loan, Attempt<T, X> attempt) throws X {
        while (true) {
            try {
                return attempt.run();
            } catch (CatalogException.NoSpace full) {
                if (!loan.more()) {
                    throw full;
                }
            }
        }
    }

    /** Makes what was taken of the {@link DiskReserve} whole again where there is room, as far as the deadline allows. */
    public void refillReserve(Deadline deadline) {
        reserve.refill(deadline);
    }

    /**
     * Makes the copy for the day when it is lost, if that is due; see {@link CatalogMaintenance#renewCopy}.
     *
     * @return whether it did
     */
    public boolean renewCopy(Instant now) {
        return CatalogMaintenance.renewCopy(file.resolveSibling(""), now);
    }

    /** Returns whether its file system is read-only, so that nothing can be recorded. */
    public boolean readOnly() {
        return readOnly;
    }

    private void refuseIfReadOnly() {
        if (readOnly) {
            throw new CatalogException.ReadOnly(file);
        }
    }

    /**
     * Does as {@link #write}, and takes everything back in the end, to learn what a write would do. No other transaction sees
     * any of it, and nothing reaches the disk.
     *
     * @throws X what the work throws
     * @throws CatalogException if the database fails
     */
    public <T, X extends Exception> T rehearse(Work<T, X> work) throws X {
        return inTurn(WriteDurability.FORCED, "ROLLBACK", work);
    }

    /**
     * Does as {@link #write}, for work that may as well be left to another time.
     *
     * @param patience how long other writers, of this and other processes, are waited for
     * @return empty if they took longer, or this thread was interrupted meanwhile; nothing has been changed
     * @throws X what the work throws; nothing has been changed
     * @throws CatalogException if the database fails; nothing has been changed
     */
    public <T, X extends Exception> Optional<T> tryWrite(Duration patience, Work<T, X> work) throws X {
        refuseNested();
        refuseIfReadOnly();
        Deadline deadline = Deadline.after(patience);
        try {
            if (!writing.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        try {
            Duration left = Duration.ofNanos(deadline.remainingNanos());
            return Optional.of(writing(WriteDurability.FORCED, "COMMIT", new BusyRetry(file, left), work));
        } catch (CatalogException.Busy others) {
            return Optional.empty();
        } catch (SQLException e) {
            throw SqliteErrors.translate(file, e);
        } finally {
            writing.unlock();
        }
    }

    private void refuseNested() {
        if (writing.isHeldByCurrentThread()) {
            throw new IllegalStateException("a write inside a write would not be one transaction");
        }
    }

    private <T, X extends Exception> T inTurn(WriteDurability durability, String end, Work<T, X> work) throws X {
        refuseNested();
        refuseIfReadOnly();
        writing.lock();
        try {
            return writing(durability, end, retry, work);
        } catch (SQLException e) {
            throw SqliteErrors.translate(file, e);
        } finally {
            writing.unlock();
        }
    }

    private <T, X extends Exception> T writing(
            WriteDurability durability, String end, BusyRetry patience, Work<T, X> work) throws SQLException, X {
        SqliteConnection writer = connections.writer(patience);
        writer.durability(durability);
        return writer.inTransaction("BEGIN IMMEDIATE", end, patience, work);
    }

    /** Returns how many statements were run since it was opened; beginning and ending transactions are none. */
    public long statements() {
        return connections.statements();
    }

    private void closeAfter(Exception failure) {
        try {
            close();
        } catch (CatalogException second) {
            failure.addSuppressed(second);
        }
    }

    private void opened() {
        OpenCatalogs.opened(file);
        open = true;
    }

    /** Waits for the write that is running, if any. Closing twice does nothing. */
    @Override
    public void close() {
        writing.lock();
        try {
            connections.close();
            if (open) {
                open = false;
                OpenCatalogs.closed(file);
            }
        } catch (SQLException e) {
            throw SqliteErrors.translate(file, e);
        } finally {
            if (loan != null) {
                loan.close();
                loan = null;
            }
            writing.unlock();
        }
    }
}
