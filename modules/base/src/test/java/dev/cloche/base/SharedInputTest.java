package dev.cloche.base;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedInputTest {
    private static final int RING = 64;

    private final Source source = new Source();
    private final SharedInput shared = new SharedInput(source, source::offset, Missed::new);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void theFirstIsTheStreamItselfAndNothingIsKept() throws Exception {
        source.says("abc");
        assertThat(text(shared.first(), 3)).isEqualTo("abc");
        assertThat(shared.first().offset()).isEqualTo(3);
        SharedInput.Reader late = shared.reader(1, false, RING);
        assertThatThrownBy(late::read).isInstanceOf(Missed.class).hasMessage(2 + " after 1");
        source.says("d");
        assertThat(text(late, 1)).isEqualTo("d");
        assertThat(late.missed()).isEqualTo(2);
        source.ends();
        assertThat(late.read()).isEqualTo(-1);
        assertThat(text(shared.first(), 1)).isEqualTo("d");
        assertThat(shared.first().read()).isEqualTo(-1);
    }

    @Test
    void eachReaderReadsAllAtAPaceOfItsOwn() throws Exception {
        byte[] bytes = new byte[100_000];
        new Random(1).nextBytes(bytes);
        List<SharedInput.Reader> readers = new ArrayList<>(List.of(shared.first()));
        for (int i = 0; i < 20; i++) {
            readers.add(shared.reader(0, false, 1 << 20));
        }
        List<Future<byte[]>> read = new ArrayList<>();
        for (SharedInput.Reader reader : readers) {
            read.add(threads.submit(() -> reader.readAllBytes()));
        }
        for (int at = 0, piece = 1; at < bytes.length; at += piece, piece = Math.min(piece * 3, bytes.length - at)) {
            source.says(bytes, at, piece);
        }
        source.ends();
        for (Future<byte[]> one : read) {
            assertThat(one.get()).isEqualTo(bytes);
        }
        assertThat(shared.reader(99_000, false, 1).readAllBytes()).hasSize(1000);
    }

    @Test
    void aReadThatHadBegunBeforeIsForAll() throws Exception {
        Future<String> begun = threads.submit(() -> text(shared.first(), 2));
        source.asked.acquire();
        SharedInput.Reader late = shared.reader(0, false, RING);
        source.says("ab");
        assertThat(begun.get()).isEqualTo("ab");
        assertThat(text(late, 2)).isEqualTo("ab");
    }

    @Test
    void aStuckReaderDelaysNoneAndIsToldWhatItHasMissed() throws Exception {
        SharedInput.Reader stuck = shared.reader(0, false, RING);
        SharedInput.Reader ends = shared.reader(0, true, RING);
        SharedInput.Reader quick = shared.reader(0, false, RING);
        assertThat(read(quick, "0123456789".repeat(30))).hasSize(300);
        source.ends();
        assertThat(quick.read()).isEqualTo(-1);
        assertThatThrownBy(stuck::read).isInstanceOf(Missed.class).hasMessage((300 - RING) + " after 0");
        assertThat(stuck.readAllBytes()).hasSize(RING);
        assertThat(ends.read()).isEqualTo(-1);
        assertThat(ends.missed()).isEqualTo(300 - RING);
    }

    /** Says a text in pieces that fit in the ring, each when the one before was read. */
    private String read(SharedInput.Reader reader, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        for (int at = 0; at < text.length(); at += 30) {
            source.says(text.substring(at, Math.min(text.length(), at + 30)));
            read.append(text(reader, Math.min(30, text.length() - at)));
        }
        return read.toString();
    }

    @Test
    void nothingIsReadWhileNoReaderWaits() throws Exception {
        SharedInput.Reader reader = shared.reader(0, false, RING);
        source.says("a");
        assertThat(text(reader, 1)).isEqualTo("a");
        source.says("b");
        source.says("c");
        assertThat(text(reader, 1)).isEqualTo("b");
        // The one who reads has gone, for who waits has none: only the next read has it come back.
        assertThat(source.pieces).hasSize(1);
        assertThat(source.asked.availablePermits()).isEqualTo(2);
        assertThat(text(reader, 1)).isEqualTo("c");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWaitIsEndedByAnInterruptOrAClose(boolean interrupt) throws Exception {
        SharedInput.Reader reader = shared.reader(0, false, RING);
        SharedInput.Reader other = shared.reader(0, false, RING);
        Future<Integer> read = threads.submit((Callable<Integer>) reader::read);
        source.asked.acquire();
        if (interrupt) {
            Thread waiter = Thread.ofVirtual()
                    .unstarted(() -> assertThatThrownBy(other::read).isInstanceOf(InterruptedIOException.class));
            waiter.start();
            waiter.interrupt();
            waiter.join();
        }
        reader.close();
        assertThatThrownBy(read::get).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(IOException.class);
        source.says("x");
        assertThat(text(other, 1)).isEqualTo("x");
    }

    @Test
    void whatTheSourceHasLostIsToldToEach() throws Exception {
        source.loses(100);
        SharedInput.Reader reader = shared.reader(0, false, RING);
        source.says("x");
        assertThatThrownBy(reader::read).isInstanceOf(Missed.class).hasMessage(100 + " after 0");
        assertThat(text(reader, 1)).isEqualTo("x");
        assertThatThrownBy(shared.first()::read).isInstanceOf(Missed.class).hasMessage(100 + " after 0");
        assertThat(text(shared.first(), 1)).isEqualTo("x");
    }

    @Test
    void aFailureIsToldToEachBehindWhatHasCome() throws Exception {
        SharedInput.Reader reader = shared.reader(0, false, RING);
        source.says("x");
        source.breaks();
        assertThat(text(reader, 1)).isEqualTo("x");
        assertThatThrownBy(reader::read).isInstanceOf(IllegalStateException.class);
        assertThat(text(shared.first(), 1)).isEqualTo("x");
        assertThatThrownBy(shared.first()::read).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatComesIsDroppedOnceTheFirstIsClosedAndNoOtherIsOpen() throws Exception {
        SharedInput.Reader reader = shared.reader(0, false, RING);
        shared.first().close();
        assertThat(source.closed).isFalse();
        source.says("x");
        assertThat(text(reader, 1)).isEqualTo("x");
        reader.close();
        assertThat(source.closed).isTrue();
    }

    @Test
    void aReaderThatIsClosedDropsNothingForTheFirst() throws Exception {
        shared.reader(0, false, RING).close();
        assertThat(source.closed).isFalse();
        source.says("x");
        assertThat(text(shared.first(), 1)).isEqualTo("x");
    }

    @Test
    void anOffsetThatHasNotComeIsRefused() {
        assertThatThrownBy(() -> shared.reader(1, false, RING)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> shared.reader(-1, false, RING)).isInstanceOf(IllegalArgumentException.class);
    }

    private static String text(InputStream stream, int length) throws IOException {
        return new String(stream.readNBytes(length), US_ASCII);
    }

    private static final class Missed extends RuntimeException {
        Missed(long offset, long missing) {
            super(missing + " after " + offset);
        }
    }

    /** Brings what a test says, a piece at a time. */
    private static final class Source extends InputStream {
        private record Piece(String text, int lost) {}

        private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
        /** One for each read that has begun. */
        private final Semaphore asked = new Semaphore(0);

        private final AtomicLong offset = new AtomicLong();
        private volatile boolean closed;
        private Piece current = new Piece("", 0);
        private int used;

        long offset() {
            return offset.get();
        }

        void says(String text) {
            pieces.add(new Piece(text, 0));
        }

        void says(byte[] bytes, int from, int count) {
            pieces.add(new Piece(new String(bytes, from, count, ISO_8859_1), 0));
        }

        void loses(int count) {
            pieces.add(new Piece("", count));
        }

        void ends() {
            pieces.add(new Piece("", -1));
        }

        void breaks() {
            pieces.add(new Piece("", 0));
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] target, int at, int length) throws IOException {
            asked.release();
            if (used == current.text.length()) {
                try {
                    current = pieces.take();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
                used = 0;
            }
            if (current.lost > 0) {
                int lost = current.lost;
                current = new Piece("", 0);
                throw new Missed(offset.getAndAdd(lost), lost);
            }
            if (current.text.length() == 0) {
                pieces.add(current); // an end stays one
                if (current.lost < 0) {
                    return -1;
                }
                throw new IllegalStateException("broken");
            }
            int count = Math.min(length, current.text.length() - used);
            System.arraycopy(current.text.getBytes(ISO_8859_1), used, target, at, count);
            used += count;
            offset.addAndGet(count);
            return count;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
