package dev.cloche.vmm.protocol;

import java.nio.ByteBuffer;

/**
 * Describes one frame of the guest protocol (docs/guest-protocol.md).
 *
 * @param more whether the next frame continues this one's message
 * @param stream an execution's id, or 0
 * @param request what an answer belongs to, or 0
 * @param payload little-endian; of a decoded frame a view that is valid until the decoder is fed again
 */
public record Frame(int type, boolean more, int stream, int request, ByteBuffer payload) {
    static final int MAGIC = 'C' | 'L' << 8 | 'H' << 16 | '1' << 24;
    public static final int HEADER = 24;
    public static final int SEAL = 4;
    public static final int MAX_PAYLOAD = 65_536;
    public static final int MAX_SIZE = HEADER + MAX_PAYLOAD + SEAL;
    static final int FLAG_MORE = 1;

    /** Frames of the host. */
    public static final int RESET = 0x01;

    public static final int PING = 0x02;
    public static final int CONFIGURE = 0x03;
    public static final int EXEC = 0x04;
    public static final int STDIN = 0x05;
    public static final int STDIN_EOF = 0x06;
    public static final int SIGNAL = 0x07;
    public static final int CREDIT = 0x08;
    public static final int SHUTDOWN = 0x09;
    public static final int RESIZE = 0x0A;
    public static final int ATTACH = 0x0B;
    public static final int DETACH = 0x0C;
    public static final int ACKNOWLEDGE = 0x0D;
    public static final int RELEASE = 0x0E;
    public static final int LIST = 0x0F;
    public static final int FILE = 0x10;
    public static final int METRICS = 0x11;
    public static final int FREEZE = 0x12;
    public static final int THAW = 0x13;
    public static final int QUIESCE = 0x14;
    public static final int GROW = 0x15;
    public static final int AWAIT_INIT = 0x16;
    public static final int DIAL = 0x17;
    public static final int HANG_UP = 0x92;

    /** Frames of the guest. */
    static final int RESET_ACK = 0x81;

    static final int PONG = 0x82;
    static final int HELLO = 0x83;
    static final int DONE = 0x84;
    static final int FAILED = 0x85;
    static final int STARTED = 0x86;
    static final int STDOUT = 0x87;
    static final int STDERR = 0x88;
    static final int EXITED = 0x89;
    static final int STDIN_CREDIT = 0x8A;
    public static final int GOODBYE = 0x8B;
    public static final int LOG = 0x8C;
    static final int DETACHED = 0x8D;
    static final int ATTACHED = 0x8E;
    static final int LISTING = 0x8F;
    static final int MEASURED = 0x90;
    static final int OUTPUT_EOF = 0x91;
    static final int RESET_BY_GUEST = 0x93;

    /** Flags of EXEC. */
    static final int EXEC_STDIN = 1;

    static final int EXEC_MAIN = 2;
    static final int EXEC_CREATE_CWD = 4;
    static final int EXEC_TERMINAL = 8;
    static final int EXEC_ACKNOWLEDGED = 16;
    static final int EXEC_KEYED = 32;
    static final int EXEC_INIT = 64;
    static final int EXEC_STOP_SIGNAL = 128;
    static final int EXEC_ALL = 255;

    /** Flag of DIAL. */
    static final int DIAL_AS_LOOPBACK = 1;

    /** Reasons of GOODBYE. */
    static final int GOODBYE_REQUESTED = 1;

    static final int GOODBYE_MAIN_ENDED = 2;
    static final int GOODBYE_REQUESTED_WITH_MAIN = 3;

    /** What may be added to a credit at most, and what is outstanding at most: 16 MiB. */
    public static final int MAX_CREDIT = 16 << 20;
}
