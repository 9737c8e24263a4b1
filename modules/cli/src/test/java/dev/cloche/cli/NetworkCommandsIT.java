package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Networks and published ports as they are asked for in a shell. */
class NetworkCommandsIT {
    private static final String SERVER = "while true; do echo from-inside | nc -l -p 80; done";

    @TempDir
    static Path home;

    @TempDir
    static Path othersHome;

    static Program cloche;

    @BeforeAll
    static void install() {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/passt")), "there is no passt: run ./setup first");
        cloche = Program.in(home);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        await().until(() -> cloche.vmProcesses().isEmpty());
    }

    @Test
    void aPublishedPortAnswersAndDoesSoAfterARestart() {
        assertThat(cloche.run(
                                "run",
                                "-d",
                                "--name",
                                "web",
                                "--network",
                                "user",
                                "-p",
                                "0:80",
                                "base",
                                "--",
                                "sh",
                                "-c",
                                SERVER)
                        .stdout())
                .isEqualTo("web\n");
        awaitAnswer("web");
        assertThat(cloche.run("restart", "-t", "1s", "web").exitCode()).isZero();
        awaitAnswer("web");
        assertThat(cloche.run("rm", "-f", "web").exitCode()).isZero();
    }

    @Test
    void anAttachedRunServesUntilItsCommandEnds() throws Exception {
        int port = freePort();
        Process run = cloche.start(
                "run",
                "-p",
                port + ":80",
                "base",
                "--",
                "sh",
                "-c",
                "ls /sys/class/net; echo from-inside | nc -l -p 80; exit 4");
        run.getOutputStream().close();
        awaitAnswer(port);
        assertThat(run.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(run.exitValue()).isEqualTo(4);
        // A port alone is no reason for a network.
        assertThat(run.getInputStream().readAllBytes())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("lo\n");
    }

    @Test
    void aPortThatIsInUseIsNamedAndNothingIsLeft() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Result refused =
                    cloche.run("run", "--network", "user", "-p", taken.getLocalPort() + ":80", "base", "--", "true");
            assertThat(refused.exitCode()).isEqualTo(125);
            assertThat(refused.stderr()).contains("127.0.0.1:" + taken.getLocalPort(), "publish another port");
        }
        assertThat(cloche.run("ps", "-a", "--format", "json").stdout().strip()).isEqualTo("[ ]");
    }

    /** IPv6 is kept from guests altogether: what they send that way goes nowhere. */
    @Test
    void aGuestReachesTheHostByNoAddressOfIpv6() throws Exception {
        try (ServerSocket streams = new ServerSocket(0);
                DatagramSocket datagrams = new DatagramSocket(new InetSocketAddress(0))) {
            Result guest = cloche.run("run", "--network", "user", "base", "--", "sh", "-c", """
                    for to in fe80::1%%eth0 fe80::ffff:1%%eth0; do
                        echo word | nc -w 1 $to %d && echo reached $to
                        echo word | nc -u -w 1 $to %d
                    done 2>/dev/null
                    echo done
                    """.formatted(
                            streams.getLocalPort(), datagrams.getLocalPort()));
            assertThat(guest.stdout()).doesNotContain("reached").endsWith("done\n");
            streams.setSoTimeout(500);
            datagrams.setSoTimeout(500);
            assertTimesOut(() -> streams.accept().close());
            assertTimesOut(() -> datagrams.receive(new DatagramPacket(new byte[10], 10)));
        }
    }

    @Test
    void anOrdinaryUserHasNetworksToo() throws Exception {
        Program ordinary = Program.asOrdinaryUser(othersHome);
        assertThat(ordinary.run(
                                "run",
                                "-d",
                                "--name",
                                "web",
                                "--network",
                                "user",
                                "-p",
                                "0:80",
                                "base",
                                "--",
                                "sh",
                                "-c",
                                SERVER)
                        .stdout())
                .isEqualTo("web\n");
        awaitAnswer(ordinary, "web");
        assertThat(ordinary.run("rm", "-f", "web").exitCode()).isZero();
        await().until(() -> ordinary.vmProcesses().isEmpty());
    }

    private interface Look {
        void run() throws IOException;
    }

    private static void assertTimesOut(Look look) throws IOException {
        boolean silent = false;
        try {
            look.run();
        } catch (SocketTimeoutException nobodyCame) {
            silent = true;
        }
        assertThat(silent).isTrue();
    }

    private static void awaitAnswer(String name) {
        awaitAnswer(cloche, name);
    }

    /** The guest's server may not listen at the moment. */
    private static void awaitAnswer(Program program, String name) {
        Matcher port = Pattern.compile("127\\.0\\.0\\.1:(\\d+)->80/tcp")
                .matcher(program.run("ps", "--format", "json").stdout());
        assertThat(port.find()).as("a published port of " + name).isTrue();
        awaitAnswer(Integer.parseInt(port.group(1)));
    }

    private static void awaitAnswer(int port) {
        await().ignoreExceptions().until(() -> {
            try (Socket socket = connect(port)) {
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                        .equals("from-inside\n");
            }
        });
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5000);
        socket.setSoTimeout(5000);
        return socket;
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }
}
