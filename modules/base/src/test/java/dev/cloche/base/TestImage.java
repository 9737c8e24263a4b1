package dev.cloche.base;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Makes images for tests, as files that are loaded: the installed one with programs of this host, or a tree of files. */
public final class TestImage {
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");
    private static final Pattern DIFF_ID = Pattern.compile("\"diff_ids\":\\[\"sha256:([0-9a-f]{64})\"]");
    private static final Path PYTHON = Path.of("/usr/bin/python3");
    /** Parts of Python that no test needs. */
    private static final List<String> LEFT_OUT =
            List.of("test", "idlelib", "lib2to3", "ensurepip", "distutils", "tkinter", "pydoc_data", "config-*");

    private TestImage() {}

    /** Returns whether this host has a Python that can be put into an image. */
    public static boolean hasPython() {
        return Files.isExecutable(PYTHON);
    }

    /** Makes the installed image {@code base} with this host's Python. */
    public static Path withPython(Path directory) throws IOException {
        Path program = PYTHON.toRealPath();
        String library = "usr/lib/" + program.getFileName();
        return ofBase(List.of(PYTHON), List.of(library), directory);
    }

    /** Makes it with programs of this host and their libraries. */
    public static Path withPrograms(List<Path> programs, Path directory) throws IOException {
        return ofBase(programs, List.of(), directory);
    }

    private static Path ofBase(List<Path> programs, List<String> trees, Path directory) throws IOException {
        Path made = Files.createDirectories(directory);
        List<String> tar =
                new ArrayList<>(List.of("tar", "-chf", made.resolve("host.tar").toString(), "-C", "/"));
        LEFT_OUT.forEach(part -> tar.add("--exclude=usr/lib/python3*/" + part));
        for (Path program : programs) {
            tar.add(relative(program));
            LIBRARY.matcher(run(List.of("ldd", program.toString())))
                    .results()
                    .map(found -> relative(Path.of(found.group(1))))
                    .filter(library -> !tar.contains(library))
                    .forEach(tar::add);
        }
        tar.addAll(trees);
        var _ = run(tar);
        Path blobs = InstalledShare.require().resolve("images/base/blobs/sha256");
        Path base = made.resolve("base.tar.gz");
        String diffId = "";
        try (Stream<Path> all = Files.list(blobs)) {
            for (Path blob : all.toList()) {
                byte[] bytes = Files.readAllBytes(blob);
                Matcher config = DIFF_ID.matcher(new String(bytes, UTF_8));
                if (config.find()) {
                    diffId = config.group(1);
                } else if (bytes[0] != '{') {
                    Files.write(base, bytes);
                }
            }
        }
        Path host = made.resolve("host.tar");
        return archive(made, List.of(base, host), List.of(diffId, sha256(host)));
    }

    /**
     * Makes one of Debian 12 with some packages, by {@code mmdebstrap}. The tree of files is kept in the module's {@code target} for
     * the next time, because it takes minutes. Skips the test where it cannot be made.
     */
    public static Path ofDebian(String name, List<String> packages, Path directory) throws IOException {
        Path kept = Path.of("target", "debian-" + name + ".tar").toAbsolutePath();
        if (!Files.exists(kept)) {
            Assumptions.assumeTrue(
                    Files.isExecutable(Path.of("/usr/bin/mmdebstrap")), "mmdebstrap is not on this host");
            Path unfinished = kept.resolveSibling(name + "-unfinished.tar");
            var _ = run(List.of(
                    "mmdebstrap",
                    "--quiet",
                    "--variant=minbase",
                    "--include=" + String.join(",", packages),
                    "bookworm",
                    unfinished.toString()));
            Files.move(unfinished, kept);
        }
        return ofTree(kept, directory);
    }

    /** Makes one of a tree of files, as {@code mmdebstrap} writes it. */
    public static Path ofTree(Path tar, Path directory) throws IOException {
        Path made = Files.createDirectories(directory);
        Path layer = Files.createSymbolicLink(made.resolve("tree.tar"), tar.toAbsolutePath());
        return archive(made, List.of(layer), List.of(sha256(tar)));
    }

    /** As {@code docker save} writes it. */
    private static Path archive(Path directory, List<Path> layers, List<String> diffIds) throws IOException {
        Files.writeString(
                directory.resolve("config.json"),
                "{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":{\"Env\":[\"PATH=/usr/bin:/bin:/usr/sbin:/sbin\"],"
                        + "\"Cmd\":[\"/bin/sh\"],\"WorkingDir\":\"/\"},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":["
                        + diffIds.stream().map(id -> "\"sha256:" + id + "\"").collect(Collectors.joining(","))
                        + "]}}");
        List<String> names =
                layers.stream().map(layer -> layer.getFileName().toString()).toList();
        Files.writeString(
                directory.resolve("manifest.json"),
                "[{\"Config\":\"config.json\",\"RepoTags\":null,\"Layers\":["
                        + names.stream().map(name -> "\"" + name + "\"").collect(Collectors.joining(","))
                        + "]}]");
        Path archive = directory.resolve("image.tar");
        List<String> tar = new ArrayList<>(
                List.of("tar", "-chf", archive.toString(), "-C", directory.toString(), "manifest.json", "config.json"));
        tar.addAll(names);
        var _ = run(tar);
        return archive;
    }

    private static String relative(Path path) {
        return path.toString().substring(1);
    }

    private static String sha256(Path file) throws IOException {
        try (InputStream content = Files.newInputStream(file);
                DigestInputStream digesting = new DigestInputStream(content, MessageDigest.getInstance("SHA-256"))) {
            byte[] piece = new byte[1 << 20];
            while (digesting.read(piece) >= 0) {}
            return HexFormat.of().formatHex(digesting.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    private static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(command.getFirst() + " failed: " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return output;
    }
}
