package dev.cloche.cli;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Debian's {@code docker-registry} on a free loopback port. */
final class LoopbackRegistry implements AutoCloseable {
    private final Process process;
    private final int port;

    private LoopbackRegistry(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static LoopbackRegistry start(Path directory) throws IOException {
        int port = freePort();
        Path config = directory.resolve("registry.yml");
        Files.writeString(config, """
                version: 0.1
                storage:
                  filesystem:
                    rootdirectory: %s
                http:
                  addr: 127.0.0.1:%d
                """.formatted(Files.createDirectories(directory.resolve("registry")), port));
        Process process = new ProcessBuilder("docker-registry", "serve", config.toString())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(directory.resolve("registry.log").toFile())
                .start();
        LoopbackRegistry registry = new LoopbackRegistry(process, port);
        await().until(registry::answers);
        return registry;
    }

    String host() {
        return "127.0.0.1:" + port;
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
