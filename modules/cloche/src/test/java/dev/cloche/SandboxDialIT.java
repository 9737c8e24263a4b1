package dev.cloche;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.Network;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A web server in real sandboxes without a network, and in a machine, is reached from this host. */
@Timeout(1200)
class SandboxDialIT {
    private static final int MEMORY = 256;
    private static final int PORT = 8080;
    /** The queue of the guest's httpd holds nine: the guest's kernel resets some of more that come at once. */
    private static final int AT_ONCE = 8;

    @TempDir
    Path directory;

    private Cloche cloche;

    @BeforeEach
    void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
    }

    @AfterEach
    void close() {
        if (cloche != null) {
            cloche.close();
        }
    }

    private static void serve(Sandbox sandbox) {
        sandbox.exec("sh", "-c", "mkdir /www && echo well > /www/health && httpd -p " + PORT + " -h /www")
                .orThrow();
    }

    private static String ask(Sandbox sandbox) throws IOException {
        return ask(sandbox.dial(DialRequest.port(PORT).withPatience(Duration.ofMinutes(1))));
    }

    private static String ask(GuestStream stream) throws IOException {
        try (stream) {
            stream.write(ByteBuffer.wrap("GET /health HTTP/1.0\r\n\r\n".getBytes(US_ASCII)));
            stream.shutdownOutput();
            return new String(Channels.newInputStream(stream).readAllBytes(), US_ASCII);
        }
    }

    @Test
    void aWebServerAnswersAHundred() throws Exception {
        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(MEMORY).start();
                ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            failsWith("vm.connection-refused", () -> sandbox.dial(PORT));
            serve(sandbox);
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                answers.add(threads.submit(() -> ask(sandbox)));
            }
            for (Future<String> answer : answers) {
                assertThat(answer.get()).endsWith("well\n");
            }
            try (Fork fork = sandbox.fork(1)) {
                Sandbox child = fork.children().getFirst();
                failsWith("vm.connection-refused", () -> child.dial(PORT));
                child.exec("httpd", "-p", String.valueOf(PORT), "-h", "/www").orThrow();
                assertThat(ask(child)).endsWith("well\n");
            }
            sandbox.stop(Duration.ZERO);
            assertThatThrownBy(() -> sandbox.dial(PORT))
                    .isInstanceOfSatisfying(
                            ClocheException.class,
                            error -> assertThat(error.code()).startsWith("sandbox."));
        }
    }

    @Test
    void aSandboxOfAPoolIsReachedAndSoIsAMachine() throws Exception {
        cloche.pools()
                .pool("base")
                .memoryMib(MEMORY)
                .network(Network.NONE)
                .depth(1)
                .maxAge(Duration.ofHours(1))
                .set();
        assertThat(cloche.pools().fill(PullListener.none())).isEmpty();
        try (Sandbox sandbox =
                cloche.sandbox("base").memoryMib(MEMORY).network(Network.NONE).start()) {
            assertThat(sandbox.startTimings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
            serve(sandbox);
            assertThat(ask(sandbox)).endsWith("well\n");
        }
        cloche.pools().pool("base").memoryMib(MEMORY).network(Network.NONE).remove();

        cloche.machines()
                .create("web", "base")
                .memoryMib(MEMORY)
                .cpus(1)
                .diskGib(1)
                .make();
        try (Machine web = cloche.machine("web").start()) {
            web.exec("sh", "-c", "mkdir /www && echo well > /www/health && httpd -p " + PORT + " -h /www")
                    .orThrow();
            assertThat(ask(web.dial(PORT))).endsWith("well\n");
        }
        cloche.machines().remove("web", true);
    }

    private static void failsWith(String code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ClocheException.class, error -> assertThat(error.code()).isEqualTo(code));
    }
}
