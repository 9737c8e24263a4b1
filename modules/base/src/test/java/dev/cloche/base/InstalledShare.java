package dev.cloche.base;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * Finds what {@code ./setup} has made of this checkout, or what the property {@code cloche.share} names in its place, for tests that
 * start VMs.
 */
public final class InstalledShare {
    private InstalledShare() {}

    /** Returns the directory of kernels, images and programs; skips the test where there is none. */
    public static Path require() {
        Path share = Path.of(System.getProperty("cloche.share", "../../dist/share"))
                .toAbsolutePath()
                .normalize();
        Assumptions.assumeTrue(Files.isDirectory(share), "nothing is installed: run ./setup first");
        return share;
    }
}
