package dev.cloche.bench.probe;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Makes Debian with Python, as an image of one layer and as one of four, in an OCI layout and in a registry on the loopback
 * interface. Made with {@code mmdebstrap}, {@code umoci}, {@code skopeo} and {@code docker-registry}; the file tree is kept
 * below {@code target} for the next time.
 */
public final class PythonImage implements AutoCloseable {
    /** The trees of three of the four layers; the first layer has the rest. */
    private static final List<String> PARTS = List.of("./usr/lib", "./usr/share", "./usr/bin");

    private final Path directory;
    private final Process registry;
    private final int port;

    private PythonImage(Path directory, Process registry, int port) {
        this.directory = directory;
        this.registry = registry;
        this.port = port;
    }

    public static PythonImage prepare(Path root, Path directory) throws IOException, InterruptedException {
        Path kept = Files.createDirectories(root.resolve("target/bench"));
        Path tree = kept.resolve("debian-python.tar");
        if (!Files.exists(tree)) {
            Path unfinished = kept.resolve("unfinished.tar");
            run("mmdebstrap", "--variant=minbase", "--include=python3", "bookworm", unfinished.toString());
            Files.move(unfinished, tree);
        }
        Path layout = directory.resolve("layout");
        run("umoci", "init", "--layout", layout.toString());
        layers(layout + ":one", List.of(tree));
        layers(layout + ":four", split(tree, directory));
        int port = freePort();
        Path config = directory.resolve("registry.yml");
        Files.writeString(config, """
                version: 0.1
                log: {accesslog: {disabled: true}, level: error}
                storage: {filesystem: {rootdirectory: %s}}
                http: {addr: "127.0.0.1:%d"}
                """.formatted(directory.resolve("registry"), port));
        PythonImage image =
                new PythonImage(directory, ProcessTimer.start("docker-registry", "serve", config.toString()), port);
        try {
            image.awaitRegistry();
            for (String tag : List.of("one", "four")) {
                run(
                        "skopeo",
                        "--insecure-policy",
                        "copy",
                        "--dest-tls-verify=false",
                        "oci:" + layout + ":" + tag,
                        "docker://" + image.reference(tag));
            }
            return image;
        } catch (IOException | InterruptedException | RuntimeException e) {
            image.close();
            throw e;
        }
    }

    /**
     * Names the image in the registry.
     *
     * @param tag {@code one} or {@code four}, for the number of layers
     */
    public String reference(String tag) {
        return "127.0.0.1:" + port + "/debian-python:" + tag;
    }

    /** Returns the blob of the image's only layer, gzip. */
    public Path layer() throws IOException {
        try (Stream<Path> blobs = Files.list(directory.resolve("layout/blobs/sha256"))) {
            return blobs.max(Comparator.comparingLong(blob -> blob.toFile().length()))
                    .orElseThrow();
        }
    }

    public Path layout() {
        return directory.resolve("layout");
    }

    private static void layers(String image, List<Path> tars) throws IOException, InterruptedException {
        run("umoci", "new", "--image", image);
        for (Path tar : tars) {
            run("umoci", "raw", "add-layer", "--image", image, tar.toString());
        }
    }

    private static List<Path> split(Path tree, Path directory) throws IOException, InterruptedException {
        Path files = Files.createDirectory(directory.resolve("split"));
        run("tar", "-xpf", tree.toString(), "-C", files.toString(), "--exclude=./dev/*");
        Path base = directory.resolve("base.tar");
        run(
                "tar",
                "-cf",
                base.toString(),
                "-C",
                files.toString(),
                "--exclude=" + PARTS.get(0),
                "--exclude=" + PARTS.get(1),
                "--exclude=" + PARTS.get(2),
                ".");
        List<Path> tars = new ArrayList<>(List.of(base));
        for (String part : PARTS) {
            Path tar = directory.resolve(part.substring(part.lastIndexOf('/') + 1) + ".tar");
            run("tar", "-cf", tar.toString(), "-C", files.toString(), part);
            tars.add(tar);
        }
        return tars;
    }

    private void awaitRegistry() throws IOException, InterruptedException {
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException notYet) {
                if (!registry.isAlive()) {
                    throw new IOException("docker-registry ended with " + registry.exitValue(), notYet);
                }
                Thread.sleep(20);
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        ProcessTimer.time(Map.of(), command);
    }

    @Override
    public void close() {
        registry.destroyForcibly();
    }
}
