package dev.cloche.image;

import dev.cloche.linux.FastSha256;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.function.LongConsumer;

/** Counts and hashes what is read through it. For one thread. */
final class HashedStream extends FilterInputStream {
    private final MessageDigest sha256 = FastSha256.fastest();
    private final LongConsumer progress;
    private long count;

    /** @param progress hears the count after each read */
    HashedStream(InputStream in, LongConsumer progress) {
        super(in);
        this.progress = progress;
    }

    long count() {
        return count;
    }

    /** Reads to the end, and tells the digest of everything. */
    Digest digestOfAll() throws IOException {
        transferTo(OutputStream.nullOutputStream());
        return Digest.finish(sha256);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int read = in.read(target, offset, length);
        if (read > 0) {
            sha256.update(target, offset, read);
            count += read;
            progress.accept(count);
        }
        return read;
    }

    @Override
    public long skip(long bytes) throws IOException {
        byte[] passed = new byte[(int) Math.min(bytes, 1 << 16)];
        return Math.max(0, read(passed, 0, passed.length));
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
