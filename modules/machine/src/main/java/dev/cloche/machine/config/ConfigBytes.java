package dev.cloche.machine.config;

import java.time.Instant;

/** Holds a configuration as it is on the disk, and its file's time of modification. No caller may change the bytes. */
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
