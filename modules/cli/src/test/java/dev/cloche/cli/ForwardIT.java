package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.cli.Program.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ports of a sandbox without a network, as they are forwarded in a shell. */
class ForwardIT extends OnOneHome {
    private static final String SERVER =
            "mkdir /www; echo well >/www/health; httpd -p 8080 -h /www; exec nc -ll -p 7 -e cat";

    @BeforeEach
    void serves() {
        assertThat(cloche.run("run", "-d", "--name", "web", "base", "--", "sh", "-c", SERVER)
                        .exitCode())
                .isZero();
        assertThat(cloche.run("exec", "web", "--", "sh", "-c", "until nc 127.0.0.1 7 </dev/null; do :; done")
                        .exitCode())
                .isZero();
    }

    @AfterEach
    void isRemoved() {
        cloche.run("rm", "-f", "web");
    }

    @Test
    void portsLeadIntoTheSandboxUntilItEnds() throws Exception {
        Process forward = cloche.start("port-forward", "web", "8080", "127.0.0.1:0:7");
        try (BufferedReader lines = reader(forward)) {
            String first = lines.readLine();
            assertThat(first).matches("127\\.0\\.0\\.1:[0-9]+ -> 8080");
            assertThat(lines.readLine()).matches("127\\.0\\.0\\.1:[0-9]+ -> 7");
            URI page = URI.create("http://" + first.substring(0, first.indexOf(' ')) + "/health");
            assertThat(page.toURL().openStream().readAllBytes()).asString().isEqualTo("well\n");
            assertThat(cloche.run("kill", "web").exitCode()).isZero();
            assertThat(forward.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(forward.exitValue()).isZero();
        } finally {
            forward.destroyForcibly();
        }
    }

    @Test
    void aPortIsPublishedWithoutAProcessThatStays() throws Exception {
        String published = cloche.run("publish", "web", "8080").stdout();
        assertThat(published).matches("127\\.0\\.0\\.1:[0-9]+->8080/tcp\n");
        String host = published.substring(0, published.indexOf('-'));
        URI page = URI.create("http://" + host + "/health");
        assertThat(page.toURL().openStream().readAllBytes()).asString().isEqualTo("well\n");
        assertThat(cloche.run("ps").stdout()).contains(published.strip());
        assertThat(cloche.run("port", "web").stdout()).isEqualTo(published);
        assertThat(cloche.run("port", "web", "8080").stdout()).isEqualTo(host + "\n");
        refused(1, "is not published", "port", "web", "81");
        refused(1, "no sandbox named", "port", "none");
        assertThat(cloche.run("unpublish", "web", host + ":8080").exitCode()).isZero();
        assertThatThrownBy(() -> page.toURL().openStream()).isInstanceOf(IOException.class);
        assertThat(cloche.run("publish", "web", "53/udp").stderr()).contains("UDP");
    }

    @Test
    void aSignalEndsIt() throws Exception {
        Process forward = cloche.start("forward", "web", "8080");
        try (BufferedReader lines = reader(forward)) {
            assertThat(lines.readLine()).endsWith(" -> 8080");
            Program.signal(forward, "TERM");
            assertThat(forward.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            forward.destroyForcibly();
        }
    }

    @Test
    void oneConnectionIsStandardInputAndOutput() throws Exception {
        Process echo = cloche.start("forward", "--stdio", "web", "7");
        try (OutputStream to = echo.getOutputStream()) {
            to.write("through\n".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(Program.text(echo.getInputStream())).isEqualTo("through\n");
        assertThat(echo.waitFor()).isZero();
    }

    @Test
    void aReaderThatLeavesEndsItWithoutAWord() throws Exception {
        Process echo = cloche.start("forward", "--stdio", "web", "7");
        echo.getInputStream().close();
        try (OutputStream to = echo.getOutputStream()) {
            to.write("through\n".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(Program.text(echo.getErrorStream())).isEmpty();
        assertThat(echo.waitFor()).isZero();
    }

    @Test
    void aConnectionWhoseSandboxEndsSaysSo() throws Exception {
        Process echo = cloche.start("forward", "--stdio", "web", "7");
        try (OutputStream to = echo.getOutputStream();
                BufferedReader lines = reader(echo)) {
            to.write("through\n".getBytes(StandardCharsets.US_ASCII));
            to.flush();
            assertThat(lines.readLine()).isEqualTo("through");
            assertThat(cloche.run("kill", "web").exitCode()).isZero();
            assertThat(Program.text(echo.getErrorStream()))
                    .startsWith("cloche: ")
                    .doesNotContain("unexpected", "\tat ");
            assertThat(echo.waitFor()).isEqualTo(1);
        }
    }

    @Test
    void whatCannotBeForwardedIsNamed() throws IOException {
        refused(1, "refused the connection", "forward", "--stdio", "web", "9");
        refused(1, "TCP", "forward", "web", "53:53/udp");
        refused(2, "publishes no port", "forward", "web", "http");
        refused(2, "one connection", "forward", "--stdio", "web", "7", "8080");
        refused(1, "no sandbox named", "forward", "none", "80");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            refused(1, "127.0.0.1:" + taken.getLocalPort(), "forward", "web", taken.getLocalPort() + ":80");
        }
    }

    private static void refused(int exitCode, String said, String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.stderr()).startsWith("cloche: ").containsIgnoringCase(said);
        assertThat(result.exitCode()).isEqualTo(exitCode);
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }
}
