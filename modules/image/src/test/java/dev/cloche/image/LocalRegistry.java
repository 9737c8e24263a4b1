package dev.cloche.image;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A real registry ({@code docker-registry}) on a free port of the loopback interface, filled by {@code skopeo}. Both are
 * Debian packages; ask {@link #missing()} first.
 */
public final class LocalRegistry implements AutoCloseable {

    private static final int PORTS = 5;

    private final Path directory;
    private final Process process;
    private final int port;

    private LocalRegistry(Path directory, Process process, int port) {
        this.directory = directory;
        this.process = process;
        this.port = port;
    }

    /** Why no registry can be started here; empty if one can. */
    public static Optional<String> missing() {
        return Stream.of("docker-registry", "skopeo")
                .filter(tool -> !onPath(tool))
                .findFirst()
                .map(tool -> tool + " is not installed");
    }

    /** Starts a registry that keeps its content below {@code directory}, and waits until it listens. */
    public static LocalRegistry start(Path directory) throws IOException {
        return start(directory, "");
    }

    /** Like {@link #start(Path)}, for {@code alice} with the password {@code open sesame} alone. */
    public static LocalRegistry startForAlice(Path directory) throws IOException {
        Files.createDirectories(directory);
        Path passwords = directory.resolve("htpasswd");
        Files.writeString(passwords, "alice:$2y$04$JYcmoEP0RTeXhKRDJ5VlAu0ATxKXA250mVZNO5UyzyYPNdLdoLgDS\n");
        return start(directory, "auth: {htpasswd: {realm: test, path: " + passwords + "}}\n");
    }

    private static LocalRegistry start(Path directory, String moreConfig) throws IOException {
        Files.createDirectories(directory);
        for (int i = 1; ; i++) {
            try {
                return start(directory, moreConfig, freePort());
            } catch (PortTaken e) {
                if (i == PORTS) {
                    throw e;
                }
            }
        }
    }

    private static LocalRegistry start(Path directory, String moreConfig, int port) throws IOException {
        Path config = directory.resolve("config.yml");
        Files.writeString(config, """
                version: 0.1
                log: {accesslog: {disabled: true}, level: warn}
                storage:
                  filesystem: {rootdirectory: %s}
                http: {addr: "127.0.0.1:%d"}
                %s""".formatted(directory.resolve("content"), port, moreConfig));
        Process process = new ProcessBuilder("docker-registry", "serve", config.toString())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("registry.log").toFile())
                .start();
        LocalRegistry registry = new LocalRegistry(directory, process, port);
        try {
            Awaitility.await().until(registry::listens);
            return registry;
        } catch (RuntimeException e) {
            registry.close();
            throw e;
        }
    }

    /** {@code 127.0.0.1:<port>}, the first part of its images' names. */
    public String name() {
        return "127.0.0.1:" + port;
    }

    /** Copies an image of an OCI layout here, as {@code repository:tag}. */
    public ImageReference push(Path layout, String layoutName, String repositoryAndTag)
            throws IOException, InterruptedException {
        return push(layout, layoutName, repositoryAndTag, List.of());
    }

    /** Like {@link #push(Path, String, String)}, as alice. */
    public ImageReference pushAsAlice(Path layout, String layoutName, String repositoryAndTag)
            throws IOException, InterruptedException {
        return push(layout, layoutName, repositoryAndTag, List.of("--dest-creds", "alice:open sesame"));
    }

    private ImageReference push(Path layout, String layoutName, String repositoryAndTag, List<String> options)
            throws IOException, InterruptedException {
        String target = name() + "/" + repositoryAndTag;
        Path log = directory.resolve("skopeo.log");
        List<String> command =
                new ArrayList<>(List.of("skopeo", "--insecure-policy", "copy", "--dest-tls-verify=false"));
        command.addAll(options);
        command.addAll(List.of("oci:" + layout + ":" + layoutName, "docker://" + target));
        Process skopeo = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!skopeo.waitFor(2, TimeUnit.MINUTES) || skopeo.exitValue() != 0) {
                throw new IOException("skopeo failed: " + Files.readString(log));
            }
        } finally {
            skopeo.destroyForcibly();
        }
        return ImageReference.parse(target);
    }

    private boolean listens() throws IOException {
        if (!process.isAlive()) {
            String log = Files.readString(directory.resolve("registry.log"));
            if (log.contains("address already in use")) {
                throw new PortTaken(log);
            }
            throw new IllegalStateException("docker-registry ended: " + log);
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static final class PortTaken extends IllegalStateException {
        private static final long serialVersionUID = 1;

        PortTaken(String log) {
            super("docker-registry found its port taken: " + log);
        }
    }

    /** Free a moment ago: the registry cannot be handed a listening socket. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean onPath(String tool) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, tool)));
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
