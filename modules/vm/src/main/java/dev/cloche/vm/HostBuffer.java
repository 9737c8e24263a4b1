package dev.cloche.vm;

import dev.cloche.linux.FileHandle;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** The memory through which a copy's content passes. */
final class HostBuffer {
    private final MemorySegment segment;

    HostBuffer(Arena arena) {
        segment = FileHandle.buffer(arena, FileRecord.MAX_BODY);
    }

    /** The bytes in native memory, until the next call. */
    MemorySegment of(ByteBuffer bytes) {
        return segment.asSlice(0, bytes.remaining()).copyFrom(MemorySegment.ofBuffer(bytes));
    }

    /** Native memory to read into. */
    MemorySegment ofSize(long size) {
        return segment.asSlice(0, Math.min(size, FileRecordWriter.CHUNK));
    }
}
