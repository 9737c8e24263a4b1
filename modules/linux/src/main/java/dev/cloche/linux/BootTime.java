package dev.cloche.linux;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Tells the time since the host's boot, the same for all its programs: {@code /proc/uptime}, which is CLOCK_BOOTTIME. No
 * change of the wall clock moves it, and it goes on while the host is suspended. Its resolution is 10 ms.
 */
public final class BootTime {
    private static final String UPTIME = "/proc/uptime";

    private BootTime() {}

    /**
     * Reads it.
     *
     * @throws UncheckedIOException if {@code /proc} does not tell
     */
    public static Duration now() {
        // Not through a channel, which an interrupt would close.
        try (InputStream in = new FileInputStream(UPTIME)) {
            return Duration.ofMillis(millis(new String(in.readAllBytes(), StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            throw new UncheckedIOException("the time since the boot cannot be read from " + UPTIME, e);
        }
    }

    /** Reads the first number of the file, which is seconds with two decimals. */
    public static long millis(String uptime) {
        return new BigDecimal(uptime.substring(0, uptime.indexOf(' ')))
                .movePointRight(3)
                .longValueExact();
    }
}
