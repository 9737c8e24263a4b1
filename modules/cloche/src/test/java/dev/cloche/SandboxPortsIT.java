package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.InstalledShare;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.Network;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Published ports of real sandboxes without a network: their guards lead them through the guest channel. */
@Timeout(1200)
class SandboxPortsIT {
    private static final int MEMORY = 256;

    /** The queue of the guest's httpd holds nine: the guest's kernel resets some of more that come at once. */
    private static final int AT_ONCE = 8;

    private static final String SERVER = "mkdir /www; echo well >/www/health; exec httpd -f -p 8080 -h /www";

    @TempDir
    Path home;

    Cloche cloche;

    @BeforeEach
    void open() {
        cloche = opened();
    }

    private Cloche opened() {
        return Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(InstalledShare.require())
                .withTemplateMaking(new TemplateMaking.Never()));
    }

    @AfterEach
    void close() {
        cloche.close();
    }

    private SandboxBuilder without(String name) {
        return cloche.sandbox("base").name(name).memoryMib(MEMORY);
    }

    private static void serve(Sandbox sandbox) {
        sandbox.exec("sh", "-c", "mkdir /www; echo well >/www/health; httpd -p 8080 -h /www")
                .orThrow();
    }

    private static String ask(PublishedPort port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(port.address());
            socket.getOutputStream().write("GET /health HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void aServerIsReachedByAHundredConnections() throws Exception {
        try (Sandbox web = without("web").publish(8080).start();
                ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            serve(web);
            PublishedPort port = web.ports().of(8080);
            assertThat(web.ports().list()).containsExactly(port);
            assertThat(web.exec("ls", "/sys/class/net").stdoutText()).isEqualTo("lo\n");
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                answers.add(threads.submit(() -> ask(port)));
            }
            for (Future<String> answer : answers) {
                assertThat(answer.get()).endsWith("well\n");
            }
        }
    }

    @Test
    void aPortThatIsTakenIsNamedAndNothingStays() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral(PublishedPort.LOOPBACK))) {
            SandboxBuilder builder = without("late").publish(taken.getLocalPort() + ":80");
            assertThatThrownBy(builder::start)
                    .isInstanceOfSatisfying(
                            VmException.PortUnavailable.class,
                            unavailable ->
                                    assertThat(unavailable.port().hostPort()).isEqualTo(taken.getLocalPort()));
        }
        assertThat(cloche.sandboxes().list()).isEmpty();
    }

    @Test
    void aVmOfAPoolGetsPortsWhenItIsHandedOver() throws Exception {
        cloche.pools()
                .pool("base")
                .memoryMib(MEMORY)
                .network(Network.NONE)
                .depth(1)
                .maxAge(Duration.ofHours(1))
                .set();
        assertThat(cloche.pools().fill(PullListener.none())).isEmpty();
        // One with a name has a disk, which those of the pool have not.
        try (Sandbox web =
                cloche.sandbox("base").memoryMib(MEMORY).publish(8080).start()) {
            assertThat(web.startTimings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
            serve(web);
            assertThat(ask(web.ports().of(8080))).endsWith("well\n");
        }
        cloche.pools().pool("base").memoryMib(MEMORY).network(Network.NONE).remove();
    }

    @Test
    void itsPortsNeedNoProcessAndComeAgainWithIt() throws Exception {
        PublishedPort port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.ofLiteral(PublishedPort.LOOPBACK))) {
            port = new PublishedPort(PublishedPort.Protocol.TCP, PublishedPort.LOOPBACK, free.getLocalPort(), 8080);
        }
        without("stays")
                .publish(port.hostPort() + ":8080")
                .command("sh", "-c", SERVER)
                .detached()
                .start();
        awaitReady();
        cloche.close();
        assertThat(ask(port)).endsWith("well\n");

        cloche = opened();
        assertThat(cloche.sandboxes().list().getFirst().ports()).containsExactly(port);
        cloche.sandboxes().suspend("stays");
        assertThatThrownBy(() -> ask(port)).isInstanceOf(IOException.class);
        cloche.sandboxes().resume("stays");
        assertThat(ask(port)).endsWith("well\n");

        cloche.sandboxes().restart("stays", Duration.ofSeconds(1));
        awaitReady();
        assertThat(ask(port)).endsWith("well\n");
        cloche.sandboxes().stop("stays", Duration.ZERO);
        assertThatThrownBy(() -> ask(port)).isInstanceOf(IOException.class);
        cloche.sandboxes().remove("stays", false);
    }

    private void awaitReady() {
        try (Sandbox web = cloche.connect("stays")) {
            web.await(Ready.http(8080, "/health"), Duration.ofMinutes(5));
        }
    }

    @Test
    void aPortIsPublishedAndTakenBackWhileItRuns() throws Exception {
        try (Sandbox web = without("live").start()) {
            serve(web);
            PublishedPort port = web.ports().publish(8080);
            assertThat(web.ports().of(8080)).isEqualTo(port);
            assertThat(ask(port)).endsWith("well\n");
            web.ports().unpublish(port);
            assertThat(web.ports().list()).isEmpty();
            assertThatThrownBy(() -> ask(port)).isInstanceOf(IOException.class);
        }
    }
}
