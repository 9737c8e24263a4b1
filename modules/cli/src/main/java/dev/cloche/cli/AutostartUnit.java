package dev.cloche.cli;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The unit of the user's systemd that starts machines with the session, and stops them with it. */
final class AutostartUnit {
    static final String NAME = "cloche-machines.service";

    private AutostartUnit() {}

    static Path file() {
        String given = System.getenv("XDG_CONFIG_HOME");
        Path config =
                given == null || given.isBlank() ? Path.of(System.getProperty("user.home"), ".config") : Path.of(given);
        return config.resolve("systemd/user").resolve(NAME);
    }

    /**
     * What it says.
     *
     * @param launcher the program, absolute
     * @param stateRoot where the machines are, absolute
     */
    static String text(Path launcher, Path stateRoot) {
        // The VMs live in the cgroup of the unit, so it has to stay active for as long as they do.
        return """
                [Unit]
                Description=Cloche: machines that are started with the session

                [Service]
                Type=oneshot
                RemainAfterExit=yes
                Environment=%s
                ExecStart=%s machine autostart start
                ExecStop=%s machine autostart stop
                TimeoutStartSec=infinity
                TimeoutStopSec=300

                [Install]
                WantedBy=default.target
                """.formatted(
                        quoted("CLOCHE_HOME=" + stateRoot), quoted(launcher.toString()), quoted(launcher.toString()));
    }

    /** As systemd.syntax(7) wants it; a percent sign would begin a specifier. */
    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("%", "%%") + '"';
    }

    static void write(Path launcher, Path stateRoot) throws IOException {
        Path file = file();
        Files.createDirectories(file.resolveSibling(""));
        DurableFiles.write(file, text(launcher, stateRoot).getBytes(StandardCharsets.UTF_8));
    }
}
