package dev.cloche.image;

import java.util.Locale;

/**
 * Says what an image runs on, in the words of Go: {@code linux/amd64}, {@code linux/arm64}.
 *
 * @param os operating system
 * @param architecture processor architecture
 * @param variant generation of the architecture; empty for the usual one
 */
public record Platform(String os, String architecture, String variant) {
    public Platform {
        os = os.toLowerCase(Locale.ROOT);
        architecture = architecture.toLowerCase(Locale.ROOT);
        variant = usual(architecture, variant.toLowerCase(Locale.ROOT));
    }

    /** Returns Linux on the processor of this machine: guests have the host's architecture. */
    public static Platform host() {
        String machine = System.getProperty("os.arch", "");
        return new Platform(
                "linux",
                switch (machine) {
                    case "x86_64", "amd64" -> "amd64";
                    case "aarch64", "arm64" -> "arm64";
                    default -> machine;
                },
                "");
    }

    /** {@code arm64/v8} and {@code amd64/v1} are what the plain names mean (containerd's platforms package). */
    private static String usual(String architecture, String variant) {
        boolean implied = (architecture.equals("arm64") && variant.equals("v8"))
                || (architecture.equals("amd64") && variant.equals("v1"));
        return implied ? "" : variant;
    }

    @Override
    public String toString() {
        return os + "/" + architecture + (variant.isEmpty() ? "" : "/" + variant);
    }
}
