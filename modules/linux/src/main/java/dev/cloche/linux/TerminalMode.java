package dev.cloche.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The kernel's {@code struct termios} of the ioctls TCGETS and TCSETS: four flag words, a line discipline and 19 control
 * characters (asm-generic/termbits.h, the same on x86-64 and aarch64).
 */
final class TerminalMode {
    static final long SIZE = 36;

    private static final long INPUT = 0;
    private static final long OUTPUT = 4;
    private static final long CONTROL = 8;
    private static final long LOCAL = 12;
    private static final long CHARACTERS = 17;

    /** IGNBRK, BRKINT, PARMRK, ISTRIP, INLCR, IGNCR, ICRNL, IXON. */
    private static final int COOKED_INPUT = 01 | 02 | 010 | 040 | 0100 | 0200 | 0400 | 02000;
    /** OPOST. */
    private static final int COOKED_OUTPUT = 01;
    /** ISIG, ICANON, ECHO, ECHONL, IEXTEN. */
    private static final int COOKED_LOCAL = 01 | 02 | 010 | 0100 | 0100000;
    /** CSIZE and PARENB; CS8. */
    private static final int CHARACTER_BITS = 060 | 0400;

    private static final int EIGHT_BITS = 060;
    private static final int VTIME = 5;
    private static final int VMIN = 6;

    private TerminalMode() {}

    /** As {@code cfmakeraw(3)}: bytes pass as they are, one by one, and no key means a signal. */
    static void makeRaw(MemorySegment termios) {
        clear(termios, INPUT, COOKED_INPUT);
        clear(termios, OUTPUT, COOKED_OUTPUT);
        clear(termios, LOCAL, COOKED_LOCAL);
        clear(termios, CONTROL, CHARACTER_BITS);
        termios.set(ValueLayout.JAVA_INT, CONTROL, termios.get(ValueLayout.JAVA_INT, CONTROL) | EIGHT_BITS);
        termios.set(ValueLayout.JAVA_BYTE, CHARACTERS + VTIME, (byte) 0);
        termios.set(ValueLayout.JAVA_BYTE, CHARACTERS + VMIN, (byte) 1);
    }

    private static void clear(MemorySegment termios, long word, int bits) {
        termios.set(ValueLayout.JAVA_INT, word, termios.get(ValueLayout.JAVA_INT, word) & ~bits);
    }
}
