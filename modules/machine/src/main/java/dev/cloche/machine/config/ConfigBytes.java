package dev.cloche.machine.config;

import java.time.Instant;

/** A configuration as it is on the disk, and what its file says of its age. The bytes are nobody's to change. */
final class ConfigBytes {
    private final byte[] bytes;
    private final Instant time;

    ConfigBytes(byte[] bytes, Instant time) {
        this.bytes = bytes;
        this.time = time;
    }

    byte[] bytes() {
        return bytes;
    }

    Instant time() {
        return time;
    }
}
