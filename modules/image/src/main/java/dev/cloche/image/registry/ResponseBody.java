package dev.cloche.image.registry;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A response's body as a stream that does not wait for ever: the JDK's own has no limit on the wait for the next byte, and
 * a {@link StallDetector} keeps bytes that drip from being taken for a stream.
 * The network runs ahead of the reader by a few buffers and no more.
 */
final class ResponseBody extends InputStream implements HttpResponse.BodySubscriber<ResponseBody> {
    /** Buffers of at most 16 KiB each, as the JDK's client hands them over. */
    private static final int AHEAD = 32;

    /** Every other element has a buffer. */
    private static final List<ByteBuffer> END = List.of();

    private final LinkedBlockingQueue<List<ByteBuffer>> arrived = new LinkedBlockingQueue<>();
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private final Duration stall;
    private final Deadline deadline;
    private final Runnable silent;
    private volatile @Nullable Throwable failure;
    private List<ByteBuffer> current = List.of();
    private final StallDetector detector;
    private int next;
    private boolean ended;

    /** @param silent called when nothing has arrived for a part of {@code stall} that a person notices */
    ResponseBody(Duration stall, Deadline deadline, Runnable silent) {
        this.stall = stall;
        this.silent = silent;
        this.deadline = deadline;
        this.detector = new StallDetector(stall);
    }

    @Override
    public CompletionStage<ResponseBody> getBody() {
        return CompletableFuture.completedStage(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        if (!subscription.complete(given)) {
            given.cancel();
            return;
        }
        given.request(AHEAD);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        arrived.add(buffers.isEmpty() ? List.of(ByteBuffer.allocate(0)) : buffers);
    }

    @Override
    public void onError(Throwable cause) {
        failure = cause;
        arrived.add(END);
    }

    @Override
    public void onComplete() {
        arrived.add(END);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            while (next < current.size()) {
                ByteBuffer buffer = current.get(next);
                if (buffer.hasRemaining()) {
                    int count = Math.min(length, buffer.remaining());
                    buffer.get(target, offset, count);
                    return count;
                }
                next++;
            }
            advance();
        }
        return -1;
    }

    private void advance() throws IOException {
        List<ByteBuffer> following;
        long asked = System.nanoTime();
        try {
            long noticed = RegistryHttp.noticed(stall).toNanos();
            following =
                    arrived.poll(deadline.orAfter(Duration.ofNanos(noticed)).remainingNanos(), TimeUnit.NANOSECONDS);
            if (following == null && !deadline.passed()) {
                silent.run();
                Duration rest = stall.minusNanos(noticed);
                following = arrived.poll(deadline.orAfter(rest).remainingNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (following == null) {
            throw new IOException("nothing has arrived for " + stall.toSeconds() + " s");
        }
        if (following.isEmpty()) {
            ended = true;
            Throwable cause = failure;
            if (cause != null) {
                throw new IOException(String.valueOf(cause.getMessage()), cause);
            }
            return;
        }
        detector.arrived(following.stream().mapToLong(ByteBuffer::remaining).sum(), System.nanoTime() - asked);
        current = following;
        next = 0;
        Flow.Subscription from = subscription.getNow(null);
        if (from != null) {
            from.request(1);
        }
    }

    /** Lets the connection go; what has not been read is dropped. */
    @Override
    public void close() {
        Flow.Subscription from = subscription.getNow(null);
        if (from != null) {
            from.cancel();
        }
        ended = true;
    }
}
