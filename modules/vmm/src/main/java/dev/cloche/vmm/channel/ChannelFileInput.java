package dev.cloche.vmm.channel;

import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFileInput;
import dev.cloche.vmm.protocol.FileRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/** Reads the content of a guest's file from the records of one call. */
final class ChannelFileInput extends GuestFileInput {
    private final FileCall call;
    private final long last;
    private long position;
    /** Zeros before the next data. */
    private long hole;

    private ByteBuffer data = ByteBuffer.allocate(0);
    private boolean ended;
    private boolean closed;

    ChannelFileInput(FileCall call, long offset, long length) {
        this.call = call;
        position = offset;
        last = length > Long.MAX_VALUE - offset ? Long.MAX_VALUE : offset + length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (closed) {
            throw new IOException("the file is closed");
        }
        if (length == 0) {
            return 0;
        }
        while (hole == 0 && !data.hasRemaining()) {
            if (ended) {
                return -1;
            }
            fetch();
        }
        int count;
        if (hole > 0) {
            count = (int) Math.min(length, hole);
            Arrays.fill(target, offset, offset + count, (byte) 0);
            hole -= count;
        } else {
            count = Math.min(length, data.remaining());
            data.get(target, offset, count);
        }
        return count;
    }

    private void fetch() {
        switch (call.next()) {
            case FileRecord.Data(long at, ByteBuffer bytes) -> {
                if (at < position || at + bytes.remaining() > last) {
                    throw new GuestException.ProtocolBroken("a file's data are not where they were asked for");
                }
                hole = at - position;
                position = at + bytes.remaining();
                data = bytes;
            }
            case FileRecord.Done() -> {
                ended = true;
                call.isDone();
            }
            default ->
                throw new GuestException.ProtocolBroken("the content of a file has records that do not belong to it");
        }
    }

    @Override
    public void close() {
        closed = true;
        call.close();
    }
}
