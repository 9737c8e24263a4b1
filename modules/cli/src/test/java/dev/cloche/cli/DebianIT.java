package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real input: a Debian with Python made by {@code mmdebstrap}, packed by {@code umoci}, pushed by {@code skopeo} to a real
 * {@code docker-registry}, pulled and run by Cloche. The image is kept in {@code target/} between runs.
 */
class DebianIT {
    @TempDir
    static Path directory;

    static Program cloche;
    static LoopbackRegistry registry;
    static String image;

    @BeforeAll
    static void pushAnImage() throws Exception {
        cloche = Program.in(Files.createDirectory(directory.resolve("home")));
        Files.setPosixFilePermissions(
                cloche.home(), java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
        DebianImage python = DebianImage.of("debian-python", List.of("python3-minimal"), directory);
        registry = LoopbackRegistry.start(directory);
        image = python.push(registry);
        Result pull = cloche.run("pull", image);
        assertThat(pull.exitCode()).as(pull.stderr()).isZero();
        assertThat(pull.stdout()).startsWith("sha256:");
        assertThat(pull.stderr()).contains("pulled");
    }

    @AfterAll
    static void stopTheRegistry() {
        if (registry != null) {
            registry.close();
        }
    }

    @Test
    void pythonComputes() {
        assertThat(cloche.run("run", image, "--", "python3", "-c", "print(6*7)"))
                .isEqualTo(new Result(0, "42\n", ""));
    }

    @Test
    void theImagesOwnCommandAndEnvironmentCount() {
        byte[] script = "import os; print(os.environ['LANG'])".getBytes(StandardCharsets.UTF_8);
        assertThat(cloche.run(script, "run", "-i", image)).isEqualTo(new Result(0, "C.UTF-8\n", ""));
    }

    @Test
    void tenThousandLinesArriveWholeAndInOrder() {
        Result result = cloche.run("run", image, "--", "python3", "-c", "for i in range(10000): print('line', i)");
        assertThat(result.stdout())
                .isEqualTo(IntStream.range(0, 10000)
                        .mapToObj(i -> "line " + i + "\n")
                        .collect(Collectors.joining()));
    }

    @Test
    void exitCodesAndSignalsPassThrough() {
        assertThat(cloche.run("run", image, "--", "python3", "-c", "raise SystemExit(3)")
                        .exitCode())
                .isEqualTo(3);
        assertThat(cloche.run("run", image, "--", "python3", "-c", "import os; os.kill(os.getpid(), 9)")
                        .exitCode())
                .isEqualTo(137);
    }

    @Test
    void usersAndOwnersAreAsInTheImage() {
        Result result = cloche.run(
                "run",
                "-u",
                "games",
                image,
                "--",
                "sh",
                "-c",
                "id; stat -c '%U:%G %a' /etc/shadow /usr/bin/passwd /tmp");
        assertThat(result.stdout())
                .isEqualTo(
                        "uid=5(games) gid=60(games) groups=60(games)\nroot:shadow 640\nroot:root 4755\nroot:root 1777\n");
    }

    @Test
    void programsCanWriteWhereTheyExpectTo() {
        Result result = cloche.run(
                "run",
                image,
                "--",
                "sh",
                "-c",
                "echo x > /var/lib/x && mkdir /srv/new && rm /etc/motd && apt-get --version | head -n 1");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stdout()).startsWith("apt ");
    }

    @Test
    void theImageIsListedUnderItsName() {
        assertThat(cloche.run("images").stdout()).contains(image, "linux/amd64");
    }

    @Test
    void aMissingTagAndAForeignPlatformAreNamed() throws Exception {
        Result missing = cloche.run("run", registry.host() + "/debian-python:none", "--", "true");
        assertThat(missing.exitCode()).isEqualTo(125);
        assertThat(missing.stderr()).contains("not found").contains(":none");
        assertThat(missing.stderr().lines()).hasSize(2);

        Program.run(List.of(
                "skopeo",
                "copy",
                "--dest-tls-verify=false",
                "--format",
                "oci",
                "oci:" + foreign() + ":arm",
                "docker://" + registry.host() + "/debian-python:arm"));
        Result foreign = cloche.run("run", registry.host() + "/debian-python:arm", "--", "true");
        assertThat(foreign.exitCode()).isEqualTo(125);
        assertThat(foreign.stderr()).contains("arm64").contains("platform");
        assertThat(cloche.run("ps", "-a", "--format", "json").stdout().strip()).isEqualTo("[ ]");
    }

    private static Path foreign() throws IOException, InterruptedException {
        Path layout = directory.resolve("foreign");
        Program.run(List.of("umoci", "init", "--layout", layout.toString()));
        Program.run(List.of("umoci", "new", "--image", layout + ":arm"));
        Program.run(List.of("umoci", "config", "--image", layout + ":arm", "--architecture", "arm64"));
        return layout;
    }
}
