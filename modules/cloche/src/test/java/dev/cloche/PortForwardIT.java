package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PublishedPort;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reaches what listens in real VMs that have no network, by ports of this host. */
@Timeout(1200)
class PortForwardIT {
    /** Ends a hang only. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int WEB = 8080;

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox shared;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        shared = cloche.sandbox("base").name("shared").memoryMib(256).start();
        shared.exec("sh", "-c", "mkdir /www && echo well >/www/health && httpd -p 8080 -h /www")
                .orThrow();
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            shared.close();
            cloche.close();
        }
    }

    @Test
    void aServerIsReachedByTwentyConnectionsAtOnce() throws Exception {
        shared.await(Ready.http(WEB, "/health"), LONG);
        List<Future<String>> pages = new ArrayList<>();
        try (PortForward web = shared.forward(WEB);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                pages.add(threads.submit(() -> get(web, "/health")));
            }
            for (Future<String> page : pages) {
                assertThat(page.get()).startsWith("HTTP/1.").contains(" 200 ").endsWith("well\n");
            }
        }
    }

    @Test
    void anAddressIsReadyOnceItsAnswerIsGoodWithoutANetwork() {
        Ready condition = Ready.http(WEB, "/later");
        assertThatThrownBy(() -> shared.await(condition, SHORT))
                .isInstanceOfSatisfying(
                        ClocheException.class, error -> assertThat(error.code()).isEqualTo("sandbox.not-ready"));
        shared.files().writeString("/www/later", "now\n");
        shared.await(condition, LONG);
    }

    @Test
    void eachSideEndsWhatItWritesByItself() throws Exception {
        byte[] bytes = new byte[3 << 20];
        new Random(7).nextBytes(bytes);
        // The server answers only when it has read the end.
        try (Execution server = listening(7001, "sha256sum");
                PortForward forward = shared.forward(7001);
                Socket socket = connect(forward)) {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            assertThat(text(socket)).startsWith(sha256(bytes));
            server.await();
        }
    }

    @Test
    void whatComesFromTheGuestIsWhole() throws Exception {
        shared.exec("sh", "-c", "head -c 4194304 /dev/urandom >/tmp/many").orThrow();
        String sum = shared.exec("sha256sum", "/tmp/many").orThrow().stdoutText();
        try (Execution server = listening(7002, "cat", "/tmp/many");
                PortForward forward = shared.forward(7002);
                Socket socket = connect(forward)) {
            assertThat(sum).startsWith(sha256(socket.getInputStream().readAllBytes()));
            server.await();
        }
    }

    @Test
    void aFloodAndAReaderThatSleepsHoldUpNoOther() throws Exception {
        try (Execution _ = listening(7003, "cat", "/dev/zero");
                Execution _ = listening(7004, "sleep", "600");
                PortForward flooding = shared.forward(7003);
                PortForward silent = shared.forward(7004);
                PortForward web = shared.forward(WEB);
                Socket flood = connect(flooding)) {
            assertThat(flood.getInputStream().read()).isZero();
            Socket held = connect(silent);
            // Writes until no side takes more, and is held up.
            Thread writer = Thread.ofVirtual().start(() -> writeOn(held));
            for (int i = 0; i < 5; i++) {
                assertThat(get(web, "/health")).endsWith("well\n");
            }
            assertThat(shared.exec("echo", "here").stdoutText()).isEqualTo("here\n");
            held.close();
            writer.join();
        }
    }

    @Test
    void theServerSeesAPeerThatIsNoLoopback() throws Exception {
        DialRequest request = DialRequest.port(7005).withPatience(Duration.ofMinutes(1));
        try (Execution _ = shared.command("nc", "-l", "-p", "7005", "-e", "cat", "/proc/net/tcp", "/proc/net/tcp6")
                        .start();
                GuestStream stream = shared.dial(request)) {
            String table = new String(Channels.newInputStream(stream).readAllBytes(), StandardCharsets.US_ASCII);
            // 10.203.0.1 or fd0c:10c::1 as the kernel writes them; 1B5D is 7005.
            assertThat(table)
                    .containsPattern(":1B5D ([0-9A-F]*0100CB0A|0C010CFD000000000000000001000000):[0-9A-F]{4} 01");
        }
    }

    @Test
    void aPortLeadsIntoTheGuestUntilItIsClosed() throws Exception {
        PortForward forward = shared.forward(WEB);
        PublishedPort taken = forward.port();
        assertThatThrownBy(() -> shared.forward(taken))
                .isInstanceOfSatisfying(
                        ClocheException.class, error -> assertThat(error.code()).isEqualTo("vm.port"));
        try (Socket open = connect(forward)) {
            // The guest has answered once, so the connection is there.
            assertThat(get(forward, "/health")).endsWith("well\n");
            forward.close();
            forward.close();
            assertThatThrownBy(() -> text(open)).isInstanceOf(SocketException.class);
        }
        assertThatThrownBy(() -> connect(forward)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> shared.forward(PublishedPort.parse("53/udp").getFirst()))
                .isInstanceOf(ClocheException.class)
                .hasMessageContaining("TCP");
    }

    @Test
    void aHandleLeadsToThePortsThatItIsAskedForUntilItIsClosed() throws Exception {
        cloche.sandbox("base")
                .name("asked")
                .memoryMib(256)
                .command("httpd", "-f", "-p", "8080")
                .detached()
                .start();
        try (Sandbox asked = cloche.connect("asked");
                Sandbox other = cloche.connect("asked")) {
            assertThat(asked.ports().list()).isEmpty();
            PublishedPort web = asked.ports().of(WEB);
            assertThat(asked.ports().of(WEB)).isEqualTo(web);
            assertThat(asked.ports().list()).containsExactly(web);
            assertThat(other.ports().of(WEB)).isNotEqualTo(web);
            asked.await(Ready.port(WEB), LONG);
            assertThat(get(web, "/")).startsWith("HTTP/1.");

            asked.detach();
            assertThatThrownBy(() -> connect(web)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> asked.ports().of(WEB))
                    .isInstanceOf(ClocheException.class)
                    .hasMessageContaining("closed");
            assertThat(get(other.ports().of(WEB), "/")).startsWith("HTTP/1.");
            assertThatThrownBy(() -> other.ports().of(65_536)).isInstanceOf(ClocheException.class);
        }
        cloche.sandboxes().remove("asked", true);
    }

    @Test
    void aClientIsResetWhereNothingListens() throws Exception {
        try (PortForward nowhere = shared.forward(9);
                Socket socket = connect(nowhere)) {
            assertThatThrownBy(() -> text(socket)).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void aClientIsResetWhenTheSandboxEnds() throws Exception {
        try (Sandbox ends = cloche.sandbox("base").memoryMib(256).start();
                Execution _ =
                        ends.command("nc", "-l", "-p", "7007", "-e", "yes").start()) {
            ends.await(Ready.port(7007), LONG);
            try (PortForward forward = ends.forward(7007);
                    Socket socket = connect(forward)) {
                assertThat(socket.getInputStream().read()).isEqualTo('y');
                ends.stop(Duration.ZERO);
                assertThatThrownBy(() -> text(socket)).isInstanceOf(SocketException.class);
            }
        }
    }

    @Test
    void aForkIsReachedApartFromItsParent() throws Exception {
        try (Fork forks = shared.fork(1);
                Sandbox child = forks.children().getFirst()) {
            try (Execution server = child.command("nc", "-l", "-p", "7008", "-e", "hostname")
                            .start();
                    GuestStream stream = child.dial(DialRequest.port(7008).withPatience(Duration.ofMinutes(1)))) {
                String answer = new String(Channels.newInputStream(stream).readAllBytes(), StandardCharsets.US_ASCII);
                assertThat(answer).isEqualTo(child.name() + "\n");
                server.await();
            }
        }
    }

    private static Execution listening(int port, String... program) {
        List<String> words = new ArrayList<>(List.of("nc", "-l", "-p", Integer.toString(port), "-e"));
        words.addAll(List.of(program));
        Execution server = shared.command(words.toArray(String[]::new)).start();
        shared.await(Ready.port(port), LONG);
        return server;
    }

    private static void writeOn(Socket socket) {
        byte[] bytes = new byte[64 * 1024];
        try (socket) {
            while (true) {
                socket.getOutputStream().write(bytes);
            }
        } catch (IOException closed) {
            // That is how it ends.
        }
    }

    private static String get(PortForward web, String path) throws IOException {
        return get(web.port(), path);
    }

    private static String get(PublishedPort web, String path) throws IOException {
        try (Socket socket = connect(web)) {
            socket.getOutputStream().write(("GET " + path + " HTTP/1.0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return text(socket);
        }
    }

    private static Socket connect(PortForward forward) throws IOException {
        return connect(forward.port());
    }

    private static Socket connect(PublishedPort port) throws IOException {
        Socket socket = new Socket();
        socket.connect(port.address());
        return socket;
    }

    private static String text(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
