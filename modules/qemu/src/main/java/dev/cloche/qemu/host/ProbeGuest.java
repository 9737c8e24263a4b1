package dev.cloche.qemu.host;

import java.util.HexFormat;

/**
 * The smallest guest that tells a processor from a host that emulates a guest's kernel: firmware that enters long mode, takes
 * some million turns there, looks whether it has a kernel's privilege, and stores what it found into QEMU's debug exit device.
 */
final class ProbeGuest {
    /** Where the isa-debug-exit device listens. */
    static final int PORT = 0xF4;

    /** What QEMU exits with when the guest has stored 0x10 there: (value &lt;&lt; 1) | 1. */
    static final int EXIT_CODE = 0x10 << 1 | 1;

    /** And for 0x20, which it stores when it does not have a kernel's privilege. */
    static final int UNPRIVILEGED = 0x20 << 1 | 1;

    private static final int FIRMWARE_SIZE = 64 * 1024;

    /** The last bytes of the firmware: guest/tools/probe.S, assembled. */
    private static final String CODE = """
            0000000000000000ffff0000009acf00ffff00000092cf00ffff0000009aaf00
            1f0000fffffffa2e660f011620ff0f20c00c010f22c066ea3effffff0800b810
            0000008ed88ec08ed031c0bf00100000b900100000fcf3abc705001000000320
            0000c7050020000003300000c7051820000003400000c7050030000083000000
            c705f84f00008300e0ffb8001000000f22d80f20e00c200f22e0b9800000c00f
            3280cc010f300f20c00d000000800f22c0eab8ffffff1800bc00600000b90012
            7a00ffc975fcfa9c58b320f6c40275088cc8a8037502b31089d8e6f4f4ebfd00
            00000000000000000000000000000000e933ff00000000000000000000000000
            """;

    private ProbeGuest() {}

    /** Returns what is assembled of the source. */
    static byte[] code() {
        return HexFormat.of().parseHex(CODE.replace("\n", ""));
    }

    static byte[] firmware() {
        byte[] code = code();
        byte[] firmware = new byte[FIRMWARE_SIZE];
        System.arraycopy(code, 0, firmware, FIRMWARE_SIZE - code.length, code.length);
        return firmware;
    }
}
