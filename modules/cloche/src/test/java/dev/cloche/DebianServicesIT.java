package dev.cloche;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.InstalledShare;
import dev.cloche.base.TestImage;
import dev.cloche.image.PullListener;
import dev.cloche.vm.PublishedPort;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL, Redis, sshd and a WebSocket server of Debian in a sandbox without a network, by its published ports, after the process
 * that started it was killed.
 */
@Tag("slow")
@Timeout(1800)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DebianServicesIT {
    private static final int SSH = 22;
    private static final int POSTGRES = 5432;
    private static final int REDIS = 6379;
    private static final int WEB_SOCKET = 8765;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** PostgreSQL trusts loopback and wants a password of all others, as in its official image. */
    private static final String SCRIPT = """
            set -e
            mkdir -p /run/sshd /root/.ssh
            echo PUBLIC_KEY >/root/.ssh/authorized_keys
            chmod -R go= /root/.ssh
            /usr/sbin/sshd
            cd /etc/postgresql/15/main
            echo "listen_addresses = '*'" >>postgresql.conf
            cat >pg_hba.conf <<END
            local all all trust
            host all all 127.0.0.1/32 trust
            host all all ::1/128 trust
            host all all all scram-sha-256
            END
            pg_ctlcluster 15 main start -- -t 600
            psql -U postgres -c "ALTER USER postgres PASSWORD 'right'"
            redis-server --bind '*' --daemonize yes
            cat >/echo.py <<END
            import asyncio, websockets
            async def echo(socket):
                async for message in socket:
                    await socket.send(message)
            async def serve():
                async with websockets.serve(echo, '127.0.0.1', 8765):
                    await asyncio.Future()
            asyncio.run(serve())
            END
            exec python3 /echo.py
            """;

    @TempDir
    private static Path directory;

    private Cloche cloche;
    private Sandbox sandbox;

    @BeforeAll
    void startAndKillTheStarter() throws Exception {
        for (String program : List.of("ssh", "ssh-keygen", "psql")) {
            Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin", program)), program + " is not on this host");
        }
        Path share = InstalledShare.require();
        Path archive = TestImage.ofDebian(
                "services",
                List.of("postgresql", "redis-server", "openssh-server", "python3-websockets", "iproute2"),
                directory.resolve("image"));
        Path home = directory.resolve("state");
        cloche = Cloche.open(ClocheOptions.ofEnvironment().withHome(home).withShare(share));
        var _ = cloche.images().load(archive, "services", PullListener.none());

        Path key = directory.resolve("key");
        run(Map.of(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.toString());
        Path script = directory.resolve("script");
        String publicKey = Files.readString(directory.resolve("key.pub")).strip();
        Files.writeString(script, SCRIPT.replace("PUBLIC_KEY", publicKey));
        Path runs = directory.resolve("runs");
        Process starter = start(home, share, script, runs);
        try {
            await().atMost(PATIENCE).until(() -> Files.exists(runs) || !starter.isAlive());
            assertThat(runs).as("%s", log()).exists();
        } finally {
            starter.destroyForcibly().waitFor();
        }
        sandbox = cloche.connect(PublishingProcess.SANDBOX);
        sandbox.await(Ready.port(WEB_SOCKET), PATIENCE);
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("starter.log"));
    }

    private Process start(Path home, Path share, Path script, Path runs) throws IOException {
        return new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PublishingProcess.class.getName(),
                        home.toString(),
                        share.toString(),
                        "services",
                        script.toString(),
                        runs.toString(),
                        String.valueOf(SSH),
                        String.valueOf(POSTGRES),
                        String.valueOf(REDIS),
                        String.valueOf(WEB_SOCKET)))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("starter.log").toFile())
                .start();
    }

    @AfterAll
    void end() {
        if (sandbox != null) {
            sandbox.close();
            cloche.sandboxes().stop(PublishingProcess.SANDBOX, Duration.ZERO);
            cloche.sandboxes().remove(PublishingProcess.SANDBOX, false);
        }
        if (cloche != null) {
            cloche.close();
        }
    }

    private record Answer(int exitCode, String output) {}

    private static Answer run(Map<String, String> environment, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        return new Answer(process.waitFor(), output);
    }

    private String portOf(int guestPort) {
        return String.valueOf(sandbox.ports().of(guestPort).hostPort());
    }

    private Answer askPostgres(Map<String, String> environment) throws Exception {
        return run(
                environment,
                "psql",
                "--no-password",
                "--host=" + PublishedPort.LOOPBACK,
                "--port=" + portOf(POSTGRES),
                "--username=postgres",
                "--tuples-only",
                "--no-align",
                "--command=SELECT 6 * 7");
    }

    @Test
    @Order(1)
    void postgresqlThatTrustsLoopbackAsksForItsPassword() throws Exception {
        assertThat(sandbox.exec("ls", "/sys/class/net").orThrow().stdoutText()).isEqualTo("lo\n");
        assertThat(sandbox.exec("psql", "-h", PublishedPort.LOOPBACK, "-U", "postgres", "-Atc", "SELECT 6 * 7")
                        .orThrow()
                        .stdoutText())
                .isEqualTo("42\n");
        Answer refused = askPostgres(Map.of());
        assertThat(refused.exitCode()).as("%s", refused).isEqualTo(2);
        assertThat(refused.output()).contains("no password supplied");
        assertThat(askPostgres(Map.of("PGPASSWORD", "wrong")).output()).contains("password authentication failed");
        assertThat(askPostgres(Map.of("PGPASSWORD", "right"))).isEqualTo(new Answer(0, "42\n"));
    }

    private String askRedis() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(sandbox.ports().of(REDIS).address());
            socket.getOutputStream().write("PING\r\n".getBytes(US_ASCII));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    @Test
    @Order(2)
    void redisInProtectedModeRefuses() throws Exception {
        assertThat(sandbox.exec("redis-cli", "ping").orThrow().stdoutText()).isEqualTo("PONG\n");
        assertThat(askRedis()).startsWith("-DENIED").doesNotContain("PONG");
    }

    @Test
    @Order(3)
    void sshRunsACommandThoughTheStarterWasKilled() throws Exception {
        assertThat(run(
                        Map.of(),
                        "ssh",
                        "-p",
                        portOf(SSH),
                        "-i",
                        directory.resolve("key").toString(),
                        "-o",
                        "StrictHostKeyChecking=no",
                        "-o",
                        "UserKnownHostsFile=/dev/null",
                        "-o",
                        "LogLevel=ERROR",
                        "-o",
                        "BatchMode=yes",
                        "root@" + PublishedPort.LOOPBACK,
                        "echo $SSH_CONNECTION | cut -d' ' -f1"))
                .isEqualTo(new Answer(0, "10.203.0.1\n"));
    }

    /** Collects the parts of one text, and answers it as a whole. */
    private static final class Echo implements WebSocket.Listener {
        private final StringBuilder parts = new StringBuilder();
        private final CompletableFuture<String> text = new CompletableFuture<>();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            parts.append(data);
            if (last) {
                text.complete(parts.toString());
            }
            socket.request(1);
            return CompletableFuture.completedStage(data);
        }

        @Override
        public void onError(WebSocket socket, Throwable failure) {
            text.completeExceptionally(failure);
        }
    }

    @Test
    @Order(4)
    void aHundredWebSocketsAreOpenAtOnce() {
        URI uri = URI.create("ws://" + PublishedPort.LOOPBACK + ":" + portOf(WEB_SOCKET));
        String text = "x".repeat(10_000);
        try (HttpClient client = HttpClient.newHttpClient()) {
            List<Echo> echoes = new ArrayList<>();
            List<CompletableFuture<WebSocket>> opening = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Echo echo = new Echo();
                echoes.add(echo);
                opening.add(client.newWebSocketBuilder().buildAsync(uri, echo));
            }
            List<WebSocket> sockets =
                    opening.stream().map(CompletableFuture::join).toList();
            for (int i = 0; i < 100; i++) {
                sockets.get(i).sendText(i + text, true).join();
            }
            for (int i = 0; i < 100; i++) {
                assertThat(echoes.get(i).text.join()).isEqualTo(i + text);
            }
            for (WebSocket socket : sockets) {
                socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            }
        }
    }

    @Test
    @Order(5)
    void neitherIsTrustedWhereTheGuestTakesTheAddressesOfLoopbackAway() throws Exception {
        sandbox.exec("sh", "-c", "ip address flush dev lo; ip address add 127.0.0.1/8 dev lo")
                .orThrow();
        assertThat(sandbox.exec("redis-cli", "-h", PublishedPort.LOOPBACK, "ping")
                        .orThrow()
                        .stdoutText())
                .isEqualTo("PONG\n");
        Answer answer = askPostgres(Map.of());
        assertThat(answer.exitCode()).as("%s", answer).isEqualTo(2);
        try {
            assertThat(askRedis()).doesNotContain("PONG");
        } catch (IOException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }
}
