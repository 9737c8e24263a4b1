package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.layer.ReadAhead;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadAheadTest {
    private static final int LENGTH = 5_000_000;

    @Test
    void allBytesComeInTheirOrder() throws IOException {
        byte[] content = new byte[LENGTH];
        new Random(1).nextBytes(content);
        try (ReadAhead ahead = new ReadAhead(new ByteArrayInputStream(content))) {
            assertThat(ahead.readAllBytes()).isEqualTo(content);
            assertThat(ahead.read()).isEqualTo(-1);
        }
    }

    @Test
    void whatTheStreamFailsWithComesBehindTheBytesBeforeIt() throws IOException {
        for (Throwable failure :
                new Throwable[] {new EOFException("cut"), new CorruptArchiveException("odd"), new StackOverflowError()
                }) {
            try (ReadAhead ahead = new ReadAhead(new Failing(failure))) {
                assertThat(ahead.readNBytes(LENGTH)).hasSize(LENGTH);
                assertThatThrownBy(ahead::read).isSameAs(failure);
                assertThatThrownBy(ahead::read).isSameAs(failure);
            }
        }
    }

    @Test
    void afterTheCloseTheStreamIsNotRead() throws IOException {
        AtomicLong read = new AtomicLong();
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 0;
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                read.addAndGet(length);
                return length;
            }
        };
        ReadAhead ahead = new ReadAhead(endless);
        assertThat(ahead.readNBytes(LENGTH)).hasSize(LENGTH);
        ahead.close();
        long atClose = read.get();
        // Bounded by the buffers, however fast the stream is.
        assertThat(atClose).isLessThan(LENGTH + (5L << 20));
        assertThat(read.get()).isEqualTo(atClose);
    }

    @Test
    void anInterruptEndsTheWaitForAStreamThatIsSilent() throws Exception {
        Thread reader = Thread.ofPlatform().start(() -> {
            try (ReadAhead ahead = new ReadAhead(new Silent())) {
                assertThatThrownBy(ahead::read).isInstanceOf(IOException.class);
            }
        });
        reader.interrupt();
        reader.join();
        assertThat(reader.isAlive()).isFalse();
    }

    private static final class Failing extends InputStream {
        private final Throwable failure;
        private int left = LENGTH;

        private Failing(Throwable failure) {
            this.failure = failure;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left == 0) {
                switch (failure) {
                    case IOException e -> throw e;
                    case RuntimeException e -> throw e;
                    default -> throw (Error) failure;
                }
            }
            int step = Math.min(left, length);
            left -= step;
            return step;
        }
    }

    private static final class Silent extends InputStream {
        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            try {
                Thread.currentThread().join();
                return -1;
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        }
    }
}
