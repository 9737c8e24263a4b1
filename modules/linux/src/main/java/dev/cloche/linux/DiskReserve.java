package dev.cloche.linux;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Space that is kept for the time when the disk is full: the file {@code reserve} in the state root, 16 MiB of random bytes, which
 * no file system can compress or share. What reads, ends or removes shortens it step by step where it has no room; what begins
 * something never does. A sweep, and a guard before it lets a guest go on, refill it when there is room again.
 *
 * <p>Space that it gave up is not for guests that a full disk has halted, nor for our logs: both wait until it is whole again.
 *
 * <p>Safe for use from several threads and processes: it changes under a lock on the file, which is never deleted. Where the file
 * is missing, or the file system read-only, there is no reserve, and nothing here fails.
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

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    /** Kernel locks of files are held by processes, so threads of one process need a lock of their own. */
    private static final ReentrantLock WITHIN_PROCESS = new ReentrantLock();

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
    public boolean wanted() {
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
     * Has room made for a short transaction and some small files, if the reserve has any; costs a microsecond otherwise. Only once:
     * of a writer that takes all it is {@link #release} that keeps the rest.
     */
    public void makeRoom() {
        if (wanted()) {
            release(0);
        }
    }

    /**
     * Gives up one step to a caller whose write has just failed for want of space, even if the file system reports some as free.
     *
     * @param before how many steps it was given before: the first are 256 KiB and 512 KiB, those that follow 1 MiB
     * @return false if nothing is left
     */
    public boolean release(int before) {
        long step = Math.min((long) STEP << Math.min(before, 8), LONGEST_STEP);
        WITHIN_PROCESS.lock();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            long size = channel.size();
            if (size == 0) {
                return false;
            }
            channel.truncate(Math.max(0, size - step));
            // Some file systems give space away again only when its release is on the disk.
            channel.force(true);
            return true;
        } catch (IOException none) {
            return false;
        } finally {
            WITHIN_PROCESS.unlock();
        }
    }

    /** Makes it whole where at least 64 MiB, or a twentieth of a smaller file system, are left to others then, up to the deadline. */
    public void refill(Deadline deadline) {
        WITHIN_PROCESS.lock();
        try (FileChannel channel = FileChannel.open(
                        file, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE), OWNER_FILE);
                FileLock _ = channel.lock()) {
            byte[] bytes = new byte[STEP];
            SplittableRandom random = new SplittableRandom();
            while (channel.size() < SIZE && hasRoom(channel.size()) && !deadline.passed()) {
                random.nextBytes(bytes);
                append(channel, bytes, (int) Math.min(STEP, SIZE - channel.size()));
            }
        } catch (IOException laterThen) {
            // Another one took the room meanwhile, or the file system is read-only.
        } finally {
            WITHIN_PROCESS.unlock();
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
