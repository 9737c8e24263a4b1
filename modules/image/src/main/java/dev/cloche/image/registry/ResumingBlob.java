package dev.cloche.image.registry;

import dev.cloche.image.PullFailed;
import dev.cloche.image.layer.DigestingStream;
import dev.cloche.image.manifest.Descriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a blob as one stream over connections that may break: after a break it carries on at the byte where it was, with another
 * of its hosts if one fails for good. It promises nothing about the content; {@link DigestingStream} does. For one thread.
 */
final class ResumingBlob extends InputStream {
    /** Who sends less before each break, and breaks again and again, is not waited for. */
    private static final int WORTH_A_CONNECTION = 16 * 1024;

    private final RepositoryHosts hosts;
    private final Descriptor blob;
    private RepositoryHosts.Host host;
    private @Nullable InputStream connection;
    private long position;
    private int breaks;
    private long sinceBreak;
    private boolean ended;

    ResumingBlob(RepositoryHosts hosts, Descriptor blob) {
        this.hosts = hosts;
        this.host = hosts.current();
        this.blob = blob;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /** @throws PullFailed if it breaks again and again with hardly a byte in between */
    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        while (!ended) {
            InputStream from = connection;
            if (from == null) {
                from = connect();
                connection = from;
            }
            IOException broken;
            try {
                int count = from.read(target, offset, length);
                if (count > 0) {
                    position += count;
                    sinceBreak += count;
                }
                if (count >= 0 || position >= blob.size()) {
                    return count;
                }
                broken = new IOException("it ended after " + position + " of " + blob.size() + " bytes");
            } catch (IOException e) {
                if (position >= blob.size()) {
                    // All is here, even if the registry promised more.
                    ended = true;
                    return -1;
                }
                broken = e;
            }
            close();
            if (sinceBreak >= WORTH_A_CONNECTION) {
                breaks = 0;
            }
            sinceBreak = 0;
            PullFailed failure = host.caller().unreachable("fetch the blob " + blob.digest(), broken);
            if (Thread.currentThread().isInterrupted()) {
                throw failure;
            }
            if (++breaks >= host.caller().attempts()) {
                host = hosts.after(host, failure);
                breaks = 0;
                continue;
            }
            host.caller().again(failure, breaks);
            host.caller().pause(breaks, Optional.empty());
        }
        return -1;
    }

    private InputStream connect() {
        while (true) {
            try {
                return host.caller().call(new FetchBlob(host.repository(), blob.digest(), position));
            } catch (PullFailed e) {
                host = hosts.after(host, e);
                breaks = 0;
            }
        }
    }

    @Override
    public void close() throws IOException {
        InputStream from = connection;
        connection = null;
        if (from != null) {
            from.close();
        }
    }
}
