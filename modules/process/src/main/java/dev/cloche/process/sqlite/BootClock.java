package dev.cloche.process.sqlite;

import dev.cloche.linux.BootTime;
import dev.cloche.process.ProcessException;
import dev.cloche.process.store.StoreClock;
import dev.cloche.process.store.StoreTime;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Tells the time of one boot of a Linux host, the same for all its programs: {@code /proc/uptime}, which is CLOCK_BOOTTIME. It
 * cannot be set and goes on while the host is suspended, which CLOCK_MONOTONIC (and so {@link System#nanoTime}) does not; a
 * lease that ran out during a suspension has therefore run out. Its resolution is 10 ms.
 *
 * <p>Between two looks at the file, at most 5 ms apart, time goes on by {@code nanoTime}. Right after a suspension it can so
 * be behind for 5 ms, in which an expired lease that was not taken looks live; the fence still keeps its holder from writing
 * what another holds. Safe for use from many threads.
 */
public final class BootClock implements StoreClock {
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Path uptime;
    private final Clock wall;
    private final String bootId;
    private long ticksAtLook;
    private long nanosAtLook;
    private boolean looked;

    private BootClock(Path uptime, Clock wall, String bootId) {
        this.uptime = uptime;
        this.wall = wall;
        this.bootId = bootId;
    }

    /**
     * Returns the clock of this host.
     *
     * @throws ProcessException.StoreFailed if {@code /proc} does not tell
     */
    public static BootClock ofHost(Clock wall) {
        String bootId = read(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        return new BootClock(Path.of("/proc/uptime"), wall, bootId);
    }

    @Override
    public synchronized StoreTime now() {
        long nanos = System.nanoTime();
        if (!looked || nanos - nanosAtLook >= LOOK_EVERY_NANOS) {
            long ticks = BootTime.millis(read(uptime));
            // The file lags by up to 10 ms behind what was derived from it.
            ticksAtLook = looked ? Math.max(ticks, derived(nanos)) : ticks;
            nanosAtLook = nanos;
            looked = true;
        }
        return new StoreTime(Instant.ofEpochMilli(wall.millis()), bootId, derived(nanos));
    }

    private long derived(long nanos) {
        return ticksAtLook + TimeUnit.NANOSECONDS.toMillis(nanos - nanosAtLook);
    }

    /** Not through a channel, which an interrupt would close. */
    private static String read(Path file) {
        try (InputStream in = new FileInputStream(file.toFile())) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new ProcessException.StoreFailed(
                    "the time since the boot cannot be read from " + file + ".", "Check that /proc is mounted.", e);
        }
    }
}
