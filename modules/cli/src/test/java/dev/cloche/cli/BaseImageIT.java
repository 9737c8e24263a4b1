package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BaseImageIT {
    @TempDir
    Path directory;

    @Test
    void theSameBusyboxGivesTheSameLayout() throws Exception {
        assertThat(make("one").exitCode()).isZero();
        assertThat(make("two").exitCode()).isZero();

        Map<String, String> digests = digests(directory.resolve("one"));
        assertThat(digests(directory.resolve("two"))).isEqualTo(digests);
        assertThat(digests).hasSize(5).containsKeys("index.json", "oci-layout");
        digests.forEach((file, digest) -> {
            if (file.startsWith("blobs/")) {
                assertThat(file).isEqualTo("blobs/sha256/" + digest);
            }
        });
    }

    @Test
    void itsWgetKeepsItsTimeAndDoesNotCrash() throws Exception {
        Program cloche = Program.in(directory.resolve("home"));

        Program.Result result = cloche.run("run", "base", "--", "wget", "-T", "5", "-O", "-", "http://127.0.0.1:9/");

        assertThat(result.stderr()).contains("refused");
        assertThat(result.exitCode()).isEqualTo(1);
    }

    @Test
    void whatIsThereIsNotTouched() throws Exception {
        Files.createDirectory(directory.resolve("one"));

        Shell.Result result = make("one");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).isEqualTo("base-image: " + directory + "/one exists already.\n");
        assertThat(digests(directory.resolve("one"))).isEmpty();
    }

    @Test
    void aBusyboxThatNeedsLibrariesIsRefused() throws Exception {
        Shell.Result result =
                Shell.run(directory, Map.of("BUSYBOX", "/usr/bin/env"), List.of(script(), directory + "/one"));

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("no static busybox at /usr/bin/env");
        assertThat(directory).isEmptyDirectory();
    }

    private Shell.Result make(String name) throws IOException, InterruptedException {
        return Shell.run(
                directory, Map.of(), List.of(script(), directory.resolve(name).toString()));
    }

    private static String script() {
        return Shell.CHECKOUT.resolve("lib/base-image.sh").toString();
    }

    private static Map<String, String> digests(Path root) throws Exception {
        Map<String, String> digests = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
                digests.put(root.relativize(file).toString(), HexFormat.of().formatHex(digest));
            }
        }
        return digests;
    }
}
