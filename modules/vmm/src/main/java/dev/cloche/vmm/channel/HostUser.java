package dev.cloche.vmm.channel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Who this process is on the host. */
final class HostUser {
    private HostUser() {}

    static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
