package dev.cloche.execution;

import dev.cloche.linux.DiskReserve;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import dev.cloche.vm.Output;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the output of one execution to this host's disk: docs/on-disk.md has the format. What {@link #sync} has returned
 * from is safe, and only that is acknowledged to the guest; what a dead writer left half written is cut off when the next
 * one opens it, and the guest has it still. Safe for use from several threads.
 */
final class OutputJournal implements AutoCloseable {
    /** Kept of an execution's output; of more, the oldest goes. */
    static final long KEPT_BYTES = 64L << 20;

    private final Path directory;
    private final long segmentBytes;
    private final DiskReserve reserve;
    private final Clock clock;
    private final LockFile lock;
    private final ReentrantLock writing = new ReentrantLock();
    private FileChannel segment;
    private long stdout;
    private long stderr;

    private OutputJournal(Path directory, long segmentBytes, DiskReserve reserve, Clock clock, LockFile lock)
            throws IOException {
        this.directory = directory;
        this.reserve = reserve;
        this.segmentBytes = segmentBytes;
        this.clock = clock;
        this.lock = lock;
        recover(OutputRecord.older(directory));
        long sound = recover(OutputRecord.newest(directory));
        segment = open(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        segment.truncate(sound).position(sound);
        force(directory);
    }

    /**
     * Opens the journal for writing.
     *
     * @param keptBytes how much is kept at least half of
     * @param reserve what is not to be used up
     * @return empty if another writer has it
     */
    static Optional<OutputJournal> open(Path directory, long keptBytes, DiskReserve reserve, Clock clock)
            throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Optional<LockFile> lock;
        try {
            lock = LockFile.tryLock(directory.resolve("lock"));
        } catch (SystemCallException e) {
            throw new IOException(e.getMessage(), e);
        }
        if (lock.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new OutputJournal(directory, Math.max(1, keptBytes / 2), reserve, clock, lock.get()));
        } catch (IOException | RuntimeException e) {
            lock.get().close();
            throw e;
        }
    }

    /** Returns how much of an output was written, with what was lost in between. */
    long end(Output output) {
        writing.lock();
        try {
            return output == Output.STDOUT ? stdout : stderr;
        } finally {
            writing.unlock();
        }
    }

    /**
     * Adds what came next of an output.
     *
     * @param offset of the first byte; beyond {@link #end} if some were lost
     */
    void append(Output output, long offset, ByteBuffer bytes) throws IOException {
        writing.lock();
        try {
            if (offset < (output == Output.STDOUT ? stdout : stderr)) {
                throw new IllegalArgumentException("offset " + offset + " has been written");
            }
            if (!reserve.spares()) {
                // What the reserve has given up is for those that end and remove something.
                throw new IOException("No space left on device");
            }
            long end = offset + bytes.remaining();
            if (segment.position() >= segmentBytes) {
                turn();
            }
            OutputRecord.write(segment, output, offset, clock.millis(), bytes);
            if (output == Output.STDOUT) {
                stdout = end;
            } else {
                stderr = end;
            }
        } finally {
            writing.unlock();
        }
    }

    /** Returns when all that was appended before is safe. */
    void sync() throws IOException {
        segment().force(false);
    }

    private FileChannel segment() {
        writing.lock();
        try {
            return segment;
        } finally {
            writing.unlock();
        }
    }

    private void turn() throws IOException {
        segment.force(true);
        segment.close();
        Files.move(OutputRecord.newest(directory), OutputRecord.older(directory), StandardCopyOption.REPLACE_EXISTING);
        segment = open(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        force(directory);
    }

    private FileChannel open(StandardOpenOption... options) throws IOException {
        return FileChannel.open(OutputRecord.newest(directory), options);
    }

    /** @return how many bytes of the segment are sound */
    private long recover(Path file) throws IOException {
        long[] sound = new long[1];
        OutputRecord.read(file, record -> {
            if (record.output() == Output.STDOUT) {
                stdout = record.end();
            } else {
                stderr = record.end();
            }
            sound[0] += record.length();
        });
        return sound[0];
    }

    private static void force(Path directory) throws IOException {
        try (FileChannel entry = FileChannel.open(directory)) {
            entry.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        writing.lock();
        try (LockFile _ = lock) {
            segment.close();
        } finally {
            writing.unlock();
        }
    }
}
