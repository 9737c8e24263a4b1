package dev.cloche.vmm.channel;

import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.FileRecordWriter;
import java.nio.ByteBuffer;

/** The native memory through which a copy's content passes. */
final class HostBuffer {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(FileRecord.MAX_BODY);

    /** Returns the bytes in native memory, until the next call. */
    ByteBuffer of(ByteBuffer bytes) {
        return buffer.clear().put(bytes).flip();
    }

    /** Room to read so much into, or a chunk if that is less; until the next call. */
    ByteBuffer room(long size) {
        return buffer.clear().limit((int) Math.min(size, FileRecordWriter.CHUNK));
    }
}
