package dev.cloche.qemu.host;

import dev.cloche.base.Printable;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The host's first processor, as {@code /proc/cpuinfo} describes it.
 *
 * @param vendor for example {@code GenuineIntel}
 * @param model its name, for people
 * @param digest of vendor, model and flags: a restored guest would use what it saw when it booted
 */
public record HostCpu(String vendor, String model, String digest) {
    public static final Path DESCRIPTION = Path.of("/proc/cpuinfo");
    private static final String UNKNOWN = "unknown";
    private static final int DIGITS = 16;

    public static HostCpu read(Path description) throws IOException {
        StringBuilder digested = new StringBuilder();
        String vendor = UNKNOWN;
        String model = UNKNOWN;
        try (BufferedReader lines = Files.newBufferedReader(description, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
                if (line.startsWith("model name")) {
                    model = value(line);
                }
                if (line.startsWith("vendor_id")) {
                    vendor = value(line);
                }
                if (line.startsWith("flags") || line.startsWith("vendor_id") || line.startsWith("model")) {
                    digested.append(line).append('\n');
                }
            }
        }
        byte[] bytes = digested.toString().getBytes(StandardCharsets.ISO_8859_1);
        return new HostCpu(
                Printable.of(vendor),
                Printable.of(model),
                FileDigests.sha256(bytes).substring(0, DIGITS));
    }

    private static String value(String line) {
        return line.substring(line.indexOf(':') + 1).strip();
    }

    /** Returns it as the key of a snapshot has it. */
    public String key() {
        return model + " " + digest;
    }
}
