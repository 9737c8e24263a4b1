package dev.cloche.linux;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * An open regular file, by its descriptor: no name is looked up again. For one thread at a time. Every method throws
 * {@link SystemCallException} if the kernel refuses.
 */
public final class FileHandle implements AutoCloseable {
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;

    private final OpenDescriptor descriptor;

    FileHandle(OpenDescriptor descriptor) {
        this.descriptor = descriptor;
    }

    public FileStatus status() {
        return descriptor.status();
    }

    /**
     * Reads from an offset into a direct buffer, and moves its position.
     *
     * @return how many bytes; 0 at the end
     */
    public int read(ByteBuffer target, long offset) {
        MemorySegment segment = direct(target);
        long count;
        do {
            count = descriptor.calls.pread(descriptor.fd(), segment, offset);
        } while (count == -Errno.EINTR);
        int read = (int) descriptor.check("read", count);
        target.position(target.position() + read);
        return read;
    }

    /** Writes all that remains in a direct buffer at an offset, and moves its position. */
    public void write(ByteBuffer source, long offset) {
        MemorySegment segment = direct(source);
        long done = 0;
        while (done < segment.byteSize()) {
            long count = descriptor.calls.pwrite(descriptor.fd(), segment.asSlice(done), offset + done);
            if (count != -Errno.EINTR) {
                done += descriptor.check("write", count);
            }
        }
        source.position(source.limit());
    }

    private static MemorySegment direct(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("the kernel reads and writes native memory only");
        }
        return MemorySegment.ofBuffer(buffer);
    }

    /** Cuts or extends to a size; an extension is a hole. */
    public void setSize(long size) {
        descriptor.check("truncate", descriptor.calls.ftruncate(descriptor.fd(), size));
    }

    /** Returns where data begin, at an offset or after it; empty if only a hole follows. */
    public OptionalLong nextData(long offset) {
        long at = descriptor.calls.lseek(descriptor.fd(), offset, SEEK_DATA);
        return at == -Errno.ENXIO ? OptionalLong.empty() : OptionalLong.of(descriptor.check("seek", at));
    }

    /** Returns where the data at an offset end: at a hole or the end of the file. */
    public long endOfData(long offset) {
        long at = descriptor.calls.lseek(descriptor.fd(), offset, SEEK_HOLE);
        // The file may have become shorter than the offset meanwhile.
        return at == -Errno.ENXIO ? offset : descriptor.check("seek", at);
    }

    /** Sets the permission bits, at most 07777. */
    public void setMode(int mode) {
        descriptor.setMode(mode);
    }

    public void setOwner(long uid, long gid) {
        descriptor.setOwner(uid, gid);
    }

    public void setModified(Instant time) {
        descriptor.setModified(time);
    }

    @Override
    public void close() {
        descriptor.close();
    }
}
