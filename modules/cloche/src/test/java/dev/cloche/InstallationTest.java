package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cloche.runtime.RuntimeUnusable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
        assertThat(installation.where()).isEqualTo(launcher.toString());
    }

    @Test
    void isNotInTheStateRoot() throws Exception {
        Files.createDirectories(directory.resolve("home/share"));
        assertThat(Installation.named(options("", directory.resolve("missing").toString())))
                .isEmpty();
    }

    @Test
    void theRemedyIsThatOfThoseWhoMadeTheDirectory() throws Exception {
        Path clone = Files.createDirectories(directory.resolve("clone/dist/share"))
                .resolve("../..")
                .normalize();
        Path setup = executable(clone.resolve("setup"));
        assertThat(remedy(clone.resolve("dist/share"))).isEqualTo("Run " + setup + ", which makes what is missing.");
        Path archive = Files.createDirectories(directory.resolve("archive/share"));
        Files.createDirectory(archive.resolveSibling("bin"));
        executable(archive.resolveSibling("bin").resolve("cloche"));
        assertThat(remedy(archive)).startsWith("Unpack the archive of Cloche anew to " + archive.getParent());
        Path other = Files.createDirectory(directory.resolve("other"));
        assertThat(remedy(other)).startsWith("Make " + other + " whole again").contains("CLOCHE_SHARE");
    }

    private static Path executable(Path file) throws IOException {
        return Files.createFile(
                file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private String remedy(Path share) {
        return Installation.of(
                        options(share.toString(), directory.resolve("missing").toString()))
                .origin()
                .remedy();
    }

    @Test
    void aRuntimeWhoseAgentIsOfALaterProtocolIsRefused() throws Exception {
        Path share = share("2026-11-23", 99);
        assertThatExceptionOfType(RuntimeUnusable.Mismatch.class)
                .isThrownBy(() -> Installation.of(
                        options(share.toString(), directory.resolve("missing").toString())));
    }

    @Test
    void aRuntimeOf90DaysIsOld() throws Exception {
        ClocheOptions options = options(
                share("2026-01-01", 2).toString(), directory.resolve("missing").toString());
        assertThat(age(options, "2026-03-31T23:59:59Z").verdict()).isEqualTo(HealthCheck.Verdict.OK);
        HealthCheck old = age(options, "2026-04-01T00:00:00Z");
        assertThat(old.verdict()).isEqualTo(HealthCheck.Verdict.WARNING);
        assertThat(old.finding()).contains("2026-01-01", "90 days");
        assertThat(old.fix()).contains("newer runtime");
    }

    private static HealthCheck age(ClocheOptions options, String now) {
        return new HostExamination(options, Set.of(), Clock.fixed(Instant.parse(now), ZoneOffset.UTC))
                .checks().stream()
                        .filter(check -> check.name().equals("runtime age"))
                        .findFirst()
                        .orElseThrow();
    }

    private Path share(String built, int protocol) throws IOException {
        Path share = Files.createDirectories(directory.resolve("share"));
        Files.writeString(
                share.resolve("runtime.json"),
                "{\"format\": 1, \"version\": \"1\", \"built\": \"" + built + "\", \"guard\": 5, \"guestProtocol\": "
                        + protocol + "}");
        return share;
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
