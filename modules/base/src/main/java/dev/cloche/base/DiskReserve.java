package dev.cloche.base;

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
 * something never does. A sweep refills it when there is room again.
 *
 * <p>Safe for use from several threads and processes: it changes under a lock on the file, which is never deleted. Where the file
 * is missing, or the file system read-only, there is no reserve, and nothing here fails.
 */
public final class DiskReserve {
    private static final int STEP = 1 << 20;
    private static final long SIZE = 16L * STEP;
    /** That is left to others, in bytes, when it is refilled. */
    private static final long LEFT_TO_OTHERS = 4 * SIZE;

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    /** Kernel locks of files are held by processes, so threads of one process need a lock of their own. */
    private static final ReentrantLock WITHIN_PROCESS = new ReentrantLock();

    private final Path file;

    private DiskReserve(Path file) {
        this.file = file;
    }

    /** The one of a state root. Opens nothing. */
    public static DiskReserve in(Path stateRoot) {
        return new DiskReserve(stateRoot.toAbsolutePath().resolve("reserve"));
    }

    /** Whether so little is free that a short transaction, or a small file, may find no room. */
    public boolean wanted() {
        // Not by the FileStore, which reads the table of all mounts first.
        Path root = file.getParent();
        return root != null && Files.isDirectory(root) && root.toFile().getUsableSpace() < STEP;
    }

    /** How many bytes are left of it; 0 where there is none. */
    public long size() throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }

    /** Has room made for a short transaction and some small files, as far as the reserve lasts; costs a microsecond otherwise. */
    public void makeRoom() {
        boolean more = true;
        while (more && wanted()) {
            more = release();
        }
    }

    /**
     * Gives up one step, 1 MiB; for who has just found no room, whatever the file system says of itself.
     *
     * @return false if nothing is left
     */
    public boolean release() {
        WITHIN_PROCESS.lock();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            long size = channel.size();
            if (size == 0) {
                return false;
            }
            channel.truncate((size - 1) / STEP * STEP);
            // Some file systems give space away again only when its release is on the disk.
            channel.force(true);
            return true;
        } catch (IOException none) {
            return false;
        } finally {
            WITHIN_PROCESS.unlock();
        }
    }

    /** Makes it whole where at least 64 MiB are left to others then, as far as the deadline allows. */
    public void refill(Deadline deadline) {
        WITHIN_PROCESS.lock();
        try (FileChannel channel = FileChannel.open(
                        file, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE), OWNER_FILE);
                FileLock _ = channel.lock()) {
            byte[] bytes = new byte[STEP];
            SplittableRandom random = new SplittableRandom();
            while (channel.size() < SIZE && hasRoom(channel.size()) && !deadline.passed()) {
                random.nextBytes(bytes);
                append(channel, bytes);
            }
        } catch (IOException laterThen) {
            // Another one took the room meanwhile, or the file system is read-only.
        } finally {
            WITHIN_PROCESS.unlock();
        }
    }

    private boolean hasRoom(long size) {
        return file.toFile().getUsableSpace() >= LEFT_TO_OTHERS + SIZE - size;
    }

    private static void append(FileChannel channel, byte[] bytes) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        long at = channel.size();
        while (left.hasRemaining()) {
            at += channel.write(left, at);
        }
    }
}
