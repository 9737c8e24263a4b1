package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallationTest {
    @TempDir
    private Path directory;

    private ClocheOptions options(String share, String launcher) {
        return ClocheOptions.of(
                Map.of("CLOCHE_HOME", directory.resolve("home").toString(), "CLOCHE_SHARE", share),
                Optional.of(launcher));
    }

    @Test
    void isInTheNamedDirectoriesThatExist() throws Exception {
        Path launcher = Files.createDirectory(directory.resolve("launcher"));
        Path missing = directory.resolve("missing");
        Installation installation = Installation.of(options(missing.toString(), launcher.toString()));
        assertThat(installation.share()).containsExactly(launcher);
        assertThat(installation.origin()).isEqualTo(launcher.toString());
    }

    @Test
    void isNotInTheStateRoot() throws Exception {
        Files.createDirectories(directory.resolve("home/share"));
        assertThat(Installation.named(options("", directory.resolve("missing").toString())))
                .isEmpty();
    }

    @Test
    void isNowhereWithoutAnArtefactOnTheClassPath() {
        ClocheOptions options = options("", directory.resolve("missing").toString());
        assertThatExceptionOfType(HostException.NoRuntime.class)
                .isThrownBy(() -> Installation.of(options))
                .withMessageContaining(directory.resolve("missing").toString())
                .satisfies(failure ->
                        assertThat(failure.remedy()).contains("cloche-runtime-linux-x86_64", "CLOCHE_SHARE"));
        HealthCheck runtime = Cloche.examine(options).stream()
                .filter(check -> check.name().equals("runtime"))
                .findFirst()
                .orElseThrow();
        assertThat(runtime.verdict()).isEqualTo(HealthCheck.Verdict.FAILURE);
    }
}
