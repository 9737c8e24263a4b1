package dev.cloche.cli.terminal;

import java.util.Locale;

/** A count of bytes for people, in binary units. */
public final class ByteSize {
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB"};

    private ByteSize() {}

    public static String of(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double size = bytes;
        int unit = -1;
        while (size >= 1024 && unit < UNITS.length - 1) {
            size /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, size < 10 ? "%.1f %s" : "%.0f %s", size, UNITS[unit]);
    }
}
