package dev.cloche.vm;

/** The smallest guest there is: firmware that stores one byte into QEMU's debug exit device. */
final class ProbeGuest {
    /** Where the isa-debug-exit device listens. */
    static final int PORT = 0xF4;

    /** What QEMU exits with when the guest has stored 0x10 there: (value &lt;&lt; 1) | 1. */
    static final int EXIT_CODE = 0x10 << 1 | 1;

    private static final int FIRMWARE_SIZE = 64 * 1024;
    /** A processor begins 16 bytes below the end of the firmware, in real mode. */
    private static final int RESET_VECTOR = FIRMWARE_SIZE - 16;

    private static final byte[] CODE = {
        (byte) 0xB0,
        0x10, // mov al, 0x10
        (byte) 0xE6,
        (byte) PORT, // out 0xf4, al
        (byte) 0xF4, // hlt
        (byte) 0xEB,
        (byte) 0xFD // jmp back to the hlt
    };

    private ProbeGuest() {}

    static byte[] firmware() {
        byte[] firmware = new byte[FIRMWARE_SIZE];
        System.arraycopy(CODE, 0, firmware, RESET_VECTOR, CODE.length);
        return firmware;
    }
}
