package dev.cloche.vmm.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.GuestException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OutputWindowTest {
    private static final int WINDOW = 1000;

    private final List<Integer> grants = new ArrayList<>();
    private final OutputWindow window = new OutputWindow("stdout", WINDOW, grants::add);

    @Test
    void bytesComeOutAsTheyWentInForAllPieces() throws IOException {
        for (long seed = 0; seed < 50; seed++) {
            List<Integer> granted = new ArrayList<>(List.of(WINDOW));
            OutputWindow out = new OutputWindow("stdout", WINDOW, granted::add);
            Random random = new Random(seed);
            byte[] all = new byte[20_000];
            random.nextBytes(all);
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            int sent = 0;
            while (sent < all.length || out.available() > 0) {
                int credit = granted.stream().mapToInt(Integer::intValue).sum() - sent;
                int count = Math.min(Math.min(credit, all.length - sent), 1 + random.nextInt(400));
                if (count > 0) {
                    out.arrived(sent, ByteBuffer.wrap(all, sent, count));
                    sent += count;
                }
                if (out.available() > 0) {
                    byte[] piece = new byte[1 + random.nextInt(600)];
                    read.write(piece, 0, out.read(piece));
                }
            }
            out.end();
            assertThat(out.read()).isEqualTo(-1);
            assertThat(read.toByteArray()).as("seed %d", seed).isEqualTo(all);
        }
    }

    @Test
    void whatExceedsTheCreditIsRefused() {
        window.arrived(0, ByteBuffer.allocate(WINDOW));
        assertThatThrownBy(() -> window.arrived(WINDOW, ByteBuffer.allocate(1)))
                .isInstanceOf(GuestException.ProtocolBroken.class);
    }

    @Test
    void offsetsNeitherRepeatNorOverflow() {
        window.arrived(0, ByteBuffer.allocate(10));
        assertThatThrownBy(() -> window.arrived(5, ByteBuffer.allocate(10)))
                .isInstanceOf(GuestException.ProtocolBroken.class);
        assertThatThrownBy(() -> window.arrived(Long.MAX_VALUE, ByteBuffer.allocate(10)))
                .isInstanceOf(GuestException.ProtocolBroken.class);
    }

    @Test
    void aGapIsReportedOnceAndTheNextReadGoesOnBehindIt() throws IOException {
        OutputWindow rest = new OutputWindow("stdout", WINDOW, 2, 5, grants::add);
        rest.arrived(5, ByteBuffer.wrap(new byte[] {6}));
        assertThat(rest.offset()).isEqualTo(2);
        assertThatThrownBy(rest::read).isInstanceOfSatisfying(GuestException.OutputGap.class, gap -> {
            assertThat(gap.offset()).isEqualTo(2);
            assertThat(gap.missing()).isEqualTo(3);
        });
        assertThat(rest.offset()).isEqualTo(5);
        assertThat(rest.read()).isEqualTo(6);
        assertThat(rest.offset()).isEqualTo(6);
        rest.end();
        assertThat(rest.read()).isEqualTo(-1);
    }

    @Test
    void whileAttachedNothingMayBeMissing() {
        window.arrived(0, ByteBuffer.allocate(2));
        assertThatThrownBy(() -> window.arrived(3, ByteBuffer.allocate(1)))
                .isInstanceOf(GuestException.ProtocolBroken.class);
    }

    @Test
    void aWindowThatIsCutGrantsNothingMore() {
        window.arrived(0, ByteBuffer.allocate(WINDOW));
        window.cut();
        assertThat(grants).isEmpty();
        assertThatThrownBy(window::read).isInstanceOf(IOException.class);
    }

    @Test
    void aLostConnectionIsReportedAfterWhatCameBeforeAndNotAfterTheEnd() throws IOException {
        window.arrived(0, ByteBuffer.wrap(new byte[] {1}));
        window.fail(new GuestException.ConnectionLost("gone", null));
        assertThat(window.read()).isEqualTo(1);
        assertThatThrownBy(window::read).isInstanceOf(GuestException.ConnectionLost.class);

        OutputWindow ended = new OutputWindow("stderr", WINDOW, grants::add);
        ended.end();
        ended.fail(new GuestException.ConnectionLost("gone", null));
        assertThat(ended.read()).isEqualTo(-1);
    }

    @Test
    void aClosedStreamDropsAndGrantsSoThatTheProgramGoesOn() {
        window.arrived(0, ByteBuffer.allocate(100));
        window.close();
        for (int at = 100; at < 10_000; at += 100) {
            window.arrived(at, ByteBuffer.allocate(100));
        }
        assertThat(grants.stream().mapToInt(Integer::intValue).sum()).isGreaterThan(9_000);
        assertThatThrownBy(window::read).isInstanceOf(IOException.class);
    }

    @Test
    void anInterruptEndsARead() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(window::read).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
