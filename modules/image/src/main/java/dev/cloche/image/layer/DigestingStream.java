package dev.cloche.image.layer;

import dev.cloche.image.Digest;
import dev.cloche.linux.FastSha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.util.function.LongConsumer;

/** Counts and hashes what is read through it. For one thread. */
public final class DigestingStream extends ObservedStream {
    private final MessageDigest sha256 = FastSha256.fastest();
    private final LongConsumer progress;
    private long count;

    /** @param progress hears the count after each read */
    public DigestingStream(InputStream in, LongConsumer progress) {
        super(in);
        this.progress = progress;
    }

    /** Reads to the end, and tells the digest of everything. */
    public Digest digestOfAll() throws IOException {
        transferTo(OutputStream.nullOutputStream());
        return Digest.finish(sha256);
    }

    @Override
    protected void seen(byte[] bytes, int offset, int length) {
        sha256.update(bytes, offset, length);
        count += length;
        progress.accept(count);
    }
}
