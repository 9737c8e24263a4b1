package dev.cloche.cli.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AutostartUnitTest {
    private static final Path ACCOUNT = Path.of("/home/of-the-account");

    @Test
    void isWrittenWhereTheUsersSystemdLooks() {
        assertThat(file(Map.of("XDG_CONFIG_HOME", "/config", "HOME", "/home/me")))
                .isEqualTo(Path.of("/config/systemd/user/cloche-machines.service"));
        assertThat(file(Map.of("HOME", "/home/me")))
                .isEqualTo(Path.of("/home/me/.config/systemd/user/cloche-machines.service"));
        assertThat(file(Map.of("XDG_CONFIG_HOME", "", "HOME", "relative")))
                .isEqualTo(file(Map.of()))
                .isEqualTo(ACCOUNT.resolve(".config/systemd/user/cloche-machines.service"));
    }

    private static Path file(Map<String, String> environment) {
        return AutostartUnit.file(environment, ACCOUNT);
    }

    @Test
    void startsMachinesWithTheSettingsOfWhoInstalledIt() {
        String unit = AutostartUnit.text(
                Path.of("/opt/100%/cloche"),
                Path.of("/state \"root\""),
                Map.of(
                        "CLOCHE_ACCELERATOR",
                        "tcg",
                        "CLOCHE_TEMPLATES",
                        "",
                        "CLOCHE_SHARE",
                        "/a\nExecStart=/evil",
                        "CLOCHE_EMULATOR",
                        "system",
                        "CLOCHE_ISOLATION",
                        "sealed",
                        "CLOCHE_LIMITS",
                        "off",
                        "CLOCHE_PROGRAMS",
                        "runtime",
                        "CLOCHE_TMP",
                        "/run/sockets",
                        "PATH",
                        "/x"));
        assertThat(unit.lines())
                .contains(
                        "Environment=\"CLOCHE_HOME=/state \\\"root\\\"\" \"CLOCHE_ACCELERATOR=tcg\""
                                + " \"CLOCHE_EMULATOR=system\" \"CLOCHE_ISOLATION=sealed\" \"CLOCHE_LIMITS=off\""
                                + " \"CLOCHE_PROGRAMS=runtime\" \"CLOCHE_TMP=/run/sockets\"",
                        "ExecStart=\"/opt/100%%/cloche\" machine autostart start")
                .doesNotContain("ExecStart=/evil\"");
        assertThat(unit).doesNotContain("evil", "PATH", "TEMPLATES");
    }
}
