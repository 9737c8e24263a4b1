package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the system's own tools, against which our images are compared. */
final class Shell {
    /** Everything about every file but what file systems may differ in: sizes and link counts of directories. */
    private static final String LISTING = """
            find . -mindepth 1 -type d -print0 | sort -z | xargs -r -0 stat --printf='%n|%f|%u|%g|%y\\n'
            find . ! -type d -print0 | sort -z | xargs -r -0 stat --printf='%N|%f|%u|%g|%y|%t:%T|%h|%s\\n'
            find . -mindepth 1 -print0 | sort -z | xargs -r -0 getfattr -h -d -m - -e hex
            find . -type f -print0 | sort -z | xargs -r -0 sha256sum
            """;

    private Shell() {}

    /** Output and errors of a script, which must succeed. */
    static String run(Path directory, String script, String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile("cloche-shell", ".out");
        try {
            String[] command = Stream.concat(Stream.of("bash", "-euc", script, "bash"), Arrays.stream(arguments))
                    .toArray(String[]::new);
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(5, TimeUnit.MINUTES);
            if (!ended) {
                process.destroyForcibly();
            }
            String text = Files.readString(output, StandardCharsets.ISO_8859_1);
            assertThat(ended && process.exitValue() == 0)
                    .as("%s: %s", script, text)
                    .isTrue();
            return text;
        } finally {
            Files.delete(output);
        }
    }

    /** Skips the test, with the reason, where a tool is missing. */
    static void need(String... tools) {
        for (String tool : tools) {
            boolean found = Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin")
                    .anyMatch(directory -> Files.isExecutable(Path.of(directory, tool)));
            assumeTrue(found, "skipped: " + tool + " is not installed");
        }
    }

    /** Skips the test where this process may not mount EROFS from a file. */
    static void needMounts() throws IOException {
        assumeTrue(
                Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")), "skipped: not root");
        assumeTrue(Files.exists(Path.of("/dev/loop-control")), "skipped: no loop devices");
        assumeTrue(
                Files.readString(Path.of("/proc/filesystems")).contains("\terofs\n"),
                "skipped: the kernel has no EROFS");
        need("getfattr", "tar");
    }

    static void fsck(Path image) throws IOException, InterruptedException {
        need("fsck.erofs");
        run(image.getParent() == null ? Path.of(".") : image.getParent(), "fsck.erofs \"$1\"", image.toString());
    }

    /** What a directory contains, as text to be compared. */
    static String listing(Path directory) throws IOException, InterruptedException {
        return run(directory, LISTING);
    }

    /** Runs a script in an image mounted by the kernel. */
    static String mounted(Path image, String script) throws IOException, InterruptedException {
        Path point = Files.createTempDirectory("cloche-mount");
        try {
            run(point, "mount -t erofs -o loop,ro \"$1\" \"$2\"", image.toString(), point.toString());
            try {
                return run(point, script);
            } finally {
                run(Path.of("/"), "umount \"$1\"", point.toString());
            }
        } finally {
            Files.delete(point);
        }
    }

    static String mountedListing(Path image) throws IOException, InterruptedException {
        return mounted(image, LISTING);
    }
}
