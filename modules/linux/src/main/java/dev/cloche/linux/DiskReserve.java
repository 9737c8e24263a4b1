package dev.cloche.linux;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Space that is kept for the time when the disk is full: the file {@code reserve} in the state root, 16 MiB of random bytes, which
 * no file system can compress or share. What reads, ends or removes {@linkplain #borrow borrows} of it where it has no room, and
 * gives back what is still free at its end; what begins something never does. A sweep, and a guard before it lets a guest go on,
 * refill it when there is room again.
 *
 * <p>Space that it lent is not for guests that a full disk has halted, nor for our logs: both wait until it is whole again. A guest
 * that runs can take of it only what it writes while it is lent.
 *
 * <p>Safe for use from several threads and processes: it changes under a {@link LockFile} on the file, which is never deleted.
 * Where the file is missing, or the file system read-only, there is no reserve, and nothing here fails.
 */
public final class DiskReserve {
    /** Enough for a short transaction and some small files. */
    private static final int STEP = 256 << 10;
    /** What is given up at once to a caller that found no room with the steps before. */
    private static final int LONGEST_STEP = 1 << 20;
    /** Also in the guard's {@code reserve.c}. */
    private static final long SIZE = 16L << 20;
    /** That is left to others, in bytes, when it is refilled; or a twentieth of a small file system. */
    private static final long LEFT_TO_OTHERS = 4 * SIZE;
    /** What is left free by those that can do without. */
    private static final long LEFT_BY_LOGS = 1 << 20;
    /** How long a caller waits for a process that changes it, which takes milliseconds unless that process is stopped. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** The same for one that only gives back. */
    private static final Duration PATIENCE_AT_END = Duration.ofSeconds(1);

    private final Path file;

    private DiskReserve(Path file) {
        this.file = file;
    }

    /** Returns the one of a state root. Opens nothing. */
    public static DiskReserve in(Path stateRoot) {
        return new DiskReserve(stateRoot.toAbsolutePath().resolve("reserve"));
    }

    /** Returns where it is, or would be. */
    public Path file() {
        return file;
    }

    /** Returns whether so little is free that a short transaction, or a small file, may find no room. */
    private boolean wanted() {
        // Not by the FileStore, which reads the table of all mounts first.
        Path root = file.getParent();
        return root != null && Files.isDirectory(root) && root.toFile().getUsableSpace() < STEP;
    }

    /** Returns how many bytes are left of it; 0 where there is none. */
    public long size() throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    /** Returns whether a log may grow: 1 MiB at least is free, beside what this reserve lacks. Costs some microseconds. */
    public boolean spares() {
        Path root = file.getParent();
        long lacks = Files.exists(file) ? Math.max(0, SIZE - file.toFile().length()) : 0;
        return root == null || root.toFile().getUsableSpace() >= lacks + LEFT_BY_LOGS;
    }

    /**
     * Borrows one step, 256 KiB, ahead of a short transaction and some small files, where so little is free that they may find no
     * room; borrows nothing otherwise, which costs a microsecond. Of a writer that takes all it is {@link Loan#more} that keeps
     * the rest.
     *
     * @return to be closed when the space is no longer needed
     */
    public Loan borrow() {
        Loan loan = new Loan();
        if (wanted()) {
            loan.take(STEP);
        }
        return loan;
    }

    /** What one caller has borrowed. For one thread at a time. */
    public final class Loan implements AutoCloseable {
        private int steps;
        private long bytes;

        private Loan() {}

        /**
         * Borrows one more step, after a write has failed for want of space, even if the file system reports some as free: first
         * 256 KiB, then 512 KiB, then 1 MiB each time.
         *
         * @return false if nothing is left, or another process keeps it locked
         */
        public boolean more() {
            return take(Math.min((long) STEP << Math.min(steps++, 8), LONGEST_STEP));
        }

        private boolean take(long step) {
            long taken = shorten(step);
            bytes += taken;
            return taken > 0;
        }

        /** Gives back as much of what was borrowed as is free. Waits up to 1 second for a process that changes the reserve. */
        @Override
        public void close() {
            if (bytes > 0) {
                lengthen(bytes);
                bytes = 0;
            }
        }
    }

    /** Returns by how many bytes it became shorter. */
    private long shorten(long step) {
        // Taking the lock would make the file.
        if (!Files.exists(file)) {
            return 0;
        }
        try (Held held = hold(Deadline.after(PATIENCE))) {
            long size = held.channel().size();
            long left = Math.max(0, size - step);
            if (size > 0) {
                held.channel().truncate(left);
                // Some file systems give space away again only when its release is on the disk.
                held.channel().force(true);
            }
            return size - left;
        } catch (IOException | SystemCallException none) {
            return 0;
        }
    }

    private void lengthen(long bytes) {
        if (!Files.exists(file)) {
            return;
        }
        try (Held held = hold(Deadline.after(PATIENCE_AT_END))) {
            grow(held.channel(), Math.min(SIZE, held.channel().size() + bytes));
        } catch (IOException | SystemCallException taken) {
            // Another writer has the space, and the next sweep refills what lacks.
        }
    }

    private static void grow(FileChannel channel, long size) throws IOException {
        byte[] bytes = new byte[STEP];
        SplittableRandom random = new SplittableRandom();
        while (channel.size() < size) {
            random.nextBytes(bytes);
            append(channel, bytes, (int) Math.min(STEP, size - channel.size()));
        }
    }

    /** Makes it whole where at least 64 MiB, or a twentieth of a smaller file system, are left to others then, up to the deadline. */
    public void refill(Deadline deadline) {
        try (Held held = hold(deadline)) {
            FileChannel channel = held.channel();
            while (channel.size() < SIZE && hasRoom(channel.size()) && !deadline.passed()) {
                grow(channel, Math.min(SIZE, channel.size() + STEP));
            }
        } catch (IOException | SystemCallException laterThen) {
            // Another one took the room meanwhile, or the file system is read-only.
        }
    }

    /** The reserve, open and locked. */
    private record Held(LockFile lock, FileChannel channel) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try (lock) {
                channel.close();
            }
        }
    }

    /** @throws IOException if another process has it up to the deadline, or the thread is interrupted */
    private Held hold(Deadline deadline) throws IOException {
        LockFile lock = lock(deadline).orElseThrow(() -> new IOException("another process changes the reserve"));
        try {
            return new Held(lock, FileChannel.open(file, StandardOpenOption.WRITE));
        } catch (IOException e) {
            lock.close();
            throw e;
        }
    }

    private Optional<LockFile> lock(Deadline deadline) {
        try {
            return LockFile.lock(file, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private boolean hasRoom(long size) {
        long left = Math.min(LEFT_TO_OTHERS, file.toFile().getTotalSpace() / 20);
        return file.toFile().getUsableSpace() >= left + SIZE - size;
    }

    private static void append(FileChannel channel, byte[] bytes, int count) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes, 0, count);
        long at = channel.size();
        while (left.hasRemaining()) {
            at += channel.write(left, at);
        }
    }
}
