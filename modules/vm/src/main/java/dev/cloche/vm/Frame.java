package dev.cloche.vm;

import java.nio.ByteBuffer;

/**
 * One frame of the guest protocol (docs/guest-protocol.md).
 *
 * @param more whether the next frame continues this one's message
 * @param stream an execution's id, or 0
 * @param request what an answer belongs to, or 0
 * @param payload little-endian; of a decoded frame a view that is valid until the decoder is fed again
 */
record Frame(int type, boolean more, int stream, int request, ByteBuffer payload) {
    static final int MAGIC = 'C' | 'L' << 8 | 'H' << 16 | '1' << 24;
    static final int HEADER = 24;
    static final int SEAL = 4;
    static final int MAX_PAYLOAD = 65_536;
    static final int MAX_SIZE = HEADER + MAX_PAYLOAD + SEAL;
    static final int FLAG_MORE = 1;

    /** Frames of the host. */
    static final int RESET = 0x01;

    static final int PING = 0x02;
    static final int CONFIGURE = 0x03;
    static final int EXEC = 0x04;
    static final int STDIN = 0x05;
    static final int STDIN_EOF = 0x06;
    static final int SIGNAL = 0x07;
    static final int CREDIT = 0x08;
    static final int SHUTDOWN = 0x09;
    static final int RESIZE = 0x0A;
    static final int ATTACH = 0x0B;
    static final int DETACH = 0x0C;
    static final int ACKNOWLEDGE = 0x0D;
    static final int RELEASE = 0x0E;
    static final int LIST = 0x0F;
    static final int FILE = 0x10;
    static final int METRICS = 0x11;
    static final int FREEZE = 0x12;
    static final int THAW = 0x13;
    static final int QUIESCE = 0x14;
    static final int GROW = 0x15;
    static final int AWAIT_INIT = 0x16;

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
    static final int GOODBYE = 0x8B;
    static final int LOG = 0x8C;
    static final int DETACHED = 0x8D;
    static final int ATTACHED = 0x8E;
    static final int LISTING = 0x8F;
    static final int MEASURED = 0x90;

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

    /** Reasons of GOODBYE. */
    static final int GOODBYE_REQUESTED = 1;

    static final int GOODBYE_MAIN_ENDED = 2;
    static final int GOODBYE_REQUESTED_WITH_MAIN = 3;

    /** What may be added to a credit at most, and what is outstanding at most: 16 MiB. */
    static final int MAX_CREDIT = 16 << 20;
}
