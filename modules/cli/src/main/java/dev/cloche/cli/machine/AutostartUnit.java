package dev.cloche.cli.machine;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The unit of the user's systemd that starts machines with the session, and stops them with it. */
final class AutostartUnit {
    static final String NAME = "cloche-machines.service";

    /** The settings that a start uses and that the session of the user does not have. */
    private static final List<String> SETTINGS = List.of(
            "CLOCHE_ACCELERATOR",
            "CLOCHE_EMULATOR",
            "CLOCHE_ISOLATION",
            "CLOCHE_LIMITS",
            "CLOCHE_PROGRAMS",
            "CLOCHE_SHARE",
            "CLOCHE_TEMPLATES",
            "CLOCHE_TMP");

    private AutostartUnit() {}

    static Path file() {
        return file(System.getenv(), Path.of(System.getProperty("user.home")));
    }

    /**
     * Returns the file in which systemctl(1) looks for it: in {@code XDG_CONFIG_HOME}, else below {@code HOME}, else
     * below the home directory of the user's account. A path that is not absolute counts as not set (sd-path of systemd).
     *
     * @param account that home directory
     */
    static Path file(Map<String, String> environment, Path account) {
        return absolute(environment, "XDG_CONFIG_HOME")
                .orElseGet(() -> absolute(environment, "HOME").orElse(account).resolve(".config"))
                .resolve("systemd/user")
                .resolve(NAME);
    }

    private static Optional<Path> absolute(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).map(Path::of).filter(Path::isAbsolute);
    }

    /**
     * Returns the text of the unit.
     *
     * @param launcher the program, absolute
     * @param stateRoot where the machines are, absolute
     * @param environment of the command that installs it, whose settings the machines are to be started with
     */
    static String text(Path launcher, Path stateRoot, Map<String, String> environment) {
        StringBuilder settings = new StringBuilder(quoted("CLOCHE_HOME=" + stateRoot));
        for (String name : SETTINGS) {
            String value = environment.getOrDefault(name, "");
            if (!value.isBlank() && value.lines().count() == 1) {
                settings.append(' ').append(quoted(name + "=" + value));
            }
        }
        // The VMs live in the cgroup of the unit, so it has to stay active for as long as they do.
        return """
                [Unit]
                Description=Cloche: machines that are started with the session

                [Service]
                Type=oneshot
                RemainAfterExit=yes
                Delegate=yes
                DelegateSubgroup=starter
                Environment=%s
                ExecStart=%s machine autostart start
                ExecStop=%s machine autostart stop
                TimeoutStartSec=infinity
                TimeoutStopSec=300

                [Install]
                WantedBy=default.target
                """.formatted(settings, quoted(launcher.toString()), quoted(launcher.toString()));
    }

    /** Quotes a text as systemd.syntax(7) requires; a percent sign would begin a specifier. */
    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("%", "%%") + '"';
    }

    static void write(Path launcher, Path stateRoot) throws IOException {
        Path file = file();
        Files.createDirectories(file.resolveSibling(""));
        DurableFiles.write(file, text(launcher, stateRoot, System.getenv()).getBytes(StandardCharsets.UTF_8));
    }
}
