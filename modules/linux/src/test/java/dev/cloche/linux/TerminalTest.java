package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A terminal of the kernel's own, made for each test. */
class TerminalTest {
    private static final int O_RDWR = 2;
    private static final int O_NOCTTY = 0x100;
    private static final long TCGETS = 0x5401;
    private static final int ISIG = 1;
    private static final int ICANON = 2;
    private static final int ECHO = 8;
    private static final int OPOST = 1;
    private static final int VMIN = 17 + 6;
    private static final long TIOCSPTLCK = 0x40045431L;
    private static final long TIOCSWINSZ = 0x5414;
    private static final long TIOCGPTN = 0x80045430L;

    private final Libc libc = LibcHolder.libc();
    private int master = -1;
    private int terminal = -1;

    @BeforeEach
    void open() {
        try (Arena arena = Arena.ofConfined()) {
            master = libc.open(arena.allocateFrom("/dev/ptmx"), O_RDWR | O_NOCTTY, 0);
            Assumptions.assumeTrue(master >= 0, "there is no /dev/ptmx here");
            assertThat(libc.ioctl(master, TIOCSPTLCK, arena.allocateFrom(ValueLayout.JAVA_INT, 0)))
                    .isZero();
            MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
            assertThat(libc.ioctl(master, TIOCGPTN, number)).isZero();
            String path = "/dev/pts/" + number.get(ValueLayout.JAVA_INT, 0);
            terminal = libc.open(arena.allocateFrom(path), O_RDWR | O_NOCTTY, 0);
            Assumptions.assumeTrue(terminal >= 0, "there is no " + path + " here");
        }
    }

    @AfterEach
    void close() {
        if (terminal >= 0) {
            libc.close(terminal);
        }
        if (master >= 0) {
            libc.close(master);
        }
    }

    private byte[] mode() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment termios = arena.allocate(TerminalMode.SIZE, Integer.BYTES);
            assertThat(libc.ioctl(terminal, TCGETS, termios)).isZero();
            return termios.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static int flags(byte[] termios, int word) {
        return ByteBuffer.wrap(termios).order(ByteOrder.nativeOrder()).getInt(word);
    }

    @Test
    void whatIsNoTerminalIsNone() {
        try (Arena arena = Arena.ofConfined()) {
            int file = libc.open(arena.allocateFrom("/dev/null"), O_RDWR, 0);
            assertThat(Terminal.of(file)).isEmpty();
            libc.close(file);
            assertThat(Terminal.of(file)).isEmpty();
        }
        assertThat(Terminal.of(terminal)).isPresent();
    }

    @Test
    void rawModePassesEveryKeyAndEndsAsItBegan() {
        byte[] before = mode();
        Terminal.RawMode raw = Terminal.of(terminal).orElseThrow().raw();
        byte[] during = mode();
        assertThat(flags(during, 12) & (ISIG | ICANON | ECHO)).isZero();
        assertThat(flags(during, 4) & OPOST).isZero();
        assertThat(during[VMIN]).isEqualTo((byte) 1);
        raw.close();
        assertThat(mode()).isEqualTo(before);
        raw.close();
    }

    @Test
    void aTerminalThatIsGoneIsATypedError() {
        FaultyLibc faulty = new FaultyLibc();
        Terminal gone = Terminal.of(faulty, 0).orElseThrow();
        faulty.ioctl = -5;
        assertThatThrownBy(gone::raw).isInstanceOf(SystemCallException.class).hasMessageContaining("TCGETS");
        assertThatThrownBy(gone::size).isInstanceOf(SystemCallException.class).hasMessageContaining("TIOCGWINSZ");
    }

    @Test
    void tellsItsSize() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(8, 2);
            size.set(ValueLayout.JAVA_SHORT, 0, (short) 40);
            size.set(ValueLayout.JAVA_SHORT, 2, (short) 40_000);
            assertThat(libc.ioctl(master, TIOCSWINSZ, size)).isZero();
        }
        assertThat(Terminal.of(terminal).orElseThrow().size()).isEqualTo(new WindowSize(40, 40_000));
    }
}
