package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Waits for what runs in real VMs. */
@Timeout(1200)
class SandboxReadyIT {
    private static final Duration SHORT = Duration.ofMillis(300);
    /** Ends a hang only. */
    private static final Duration LONG = Duration.ofMinutes(5);

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
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            shared.close();
            cloche.close();
        }
    }

    @Test
    void aPortIsReadyWhenAProgramListensWithoutAnyNetwork() {
        Ready condition = Ready.port(6379);
        isNotReady(() -> shared.await(condition, SHORT));
        try (Execution server =
                shared.command("sh", "-c", "sleep 1; nc -l -p 6379 -e cat").start()) {
            shared.await(condition, LONG);
            assertThat(shared.exec("sh", "-c", "echo through | nc -w 5 127.0.0.1 6379")
                            .orThrow()
                            .stdoutText())
                    .isEqualTo("through\n");
            server.await();
        }
        // A connection that has that port at one end, or a greater one, is none that listens.
        isNotReady(() -> shared.await(Ready.port(637), SHORT));
    }

    @Test
    void aCommandIsReadyWhenItSucceeds() {
        Ready condition = Ready.command("test", "-e", "/tmp/flag");
        isNotReady(() -> shared.await(condition, SHORT));
        isNotReady(() -> shared.await(Ready.command("sleep", "600"), SHORT));
        try (Execution later =
                shared.command("sh", "-c", "sleep 1; touch /tmp/flag").start()) {
            shared.await(condition, LONG);
            later.await();
        }
        assertThatThrownBy(() -> shared.await(Ready.command("no-such-program"), LONG))
                .isInstanceOfSatisfying(
                        ClocheException.class,
                        error -> assertThat(error.code()).isEqualTo("vm.spawn.command-not-found"));
    }

    @Test
    void aLogIsReadyWhenItHasTheTextAlsoInTwoPieces() {
        started("writes", "echo first; sleep 1; printf rea >&2; sleep 1; echo dy >&2; sleep 600");
        try (Sandbox writes = cloche.connect("writes")) {
            writes.await(Ready.log("ready"), LONG);
            // What was written before the wait counts.
            writes.await(Ready.log("first"), LONG);
            isNotReady(() -> writes.await(Ready.log("firstready"), SHORT));
        }
        cloche.sandboxes().remove("writes", true);
    }

    @Test
    void onlyADetachedSandboxHasALogToWaitFor() {
        assertThatThrownBy(() -> shared.await(Ready.log("ready"), LONG))
                .isInstanceOfSatisfying(
                        ClocheException.class, error -> assertThat(error.code()).isEqualTo("sandbox.not-logged"));
    }

    @Test
    void anAddressIsReadyWhenItsAnswerIsGood() throws IOException {
        try (Sandbox web = cloche.sandbox("base").memoryMib(256).publish(8080).start()) {
            Ready condition = Ready.http(8080, "/health");
            isNotReady(() -> web.await(condition, SHORT));
            web.exec("sh", "-c", "mkdir /www && httpd -p 8080 -h /www").orThrow();
            web.await(Ready.port(8080), LONG);
            // 404, until there is such a page.
            isNotReady(() -> web.await(condition, SHORT));
            web.files().writeString("/www/health", "well\n");
            web.await(condition, LONG);
            // Two slashes name no other host.
            web.await(Ready.http(8080, "//health"), LONG);
            URI uri = web.ports().of(8080).uri("http");
            assertThat(uri.getHost()).isEqualTo("127.0.0.1");
            try (InputStream page = uri.resolve("/health").toURL().openStream()) {
                assertThat(page.readAllBytes()).asString().isEqualTo("well\n");
            }
            assertThat(web.ports().of(8080).address().getPort()).isEqualTo(uri.getPort());
            assertThat(web.ports().list()).hasSize(1);
        }
    }

    /** Each read of such an answer ends in time, so that only a limit of the whole helps. */
    @Test
    void aServerThatDripsItsAnswerDoesNotHoldTheWait() {
        try (Sandbox drips = cloche.sandbox("base").memoryMib(256).start()) {
            String header = "(printf 'HTTP/1.1 200 OK\\r\\n'; while sleep 0.1; do printf 'X: y\\r\\n'; done)";
            try (Execution _ = drips.command("sh", "-c", "while :; do " + header + " | nc -l -p 8080; done")
                    .start()) {
                drips.await(Ready.port(8080), LONG);
                isNotReady(() -> drips.await(Ready.http(8080, "/"), Duration.ofSeconds(8)));
            }
        }
    }

    @Test
    void theEndOfASandboxEndsTheWaitWithItsReason() {
        for (Ready condition : new Ready[] {Ready.port(6379), Ready.log("never"), Ready.command("false")}) {
            started("dies", "until [ -e /tmp/go ]; do sleep 0.1; done; sleep 1; exit 3");
            try (Sandbox dies = cloche.connect("dies")) {
                dies.files().writeString("/tmp/go", "");
                assertThatThrownBy(() -> dies.await(condition, LONG))
                        .isInstanceOfSatisfying(
                                ClocheException.class,
                                error -> assertThat(error.code()).isEqualTo("sandbox.ended.failed"));
            }
            cloche.sandboxes().remove("dies", true);
        }
    }

    @Test
    void aPausedSandboxIsNotReady() {
        Sandbox halts = cloche.sandbox("base").name("halts").memoryMib(256).start();
        try (halts) {
            cloche.sandboxes().pause("halts");
            isNotReady(() -> halts.await(Ready.port(1), SHORT));
            isNotReady(() -> halts.await(Ready.command("true"), SHORT));
            cloche.sandboxes().resume("halts");
            assertThatCode(() -> halts.await(Ready.command("true"), LONG)).doesNotThrowAnyException();
        }
    }

    @Test
    void aPortOfUdpNeedsANetworkToBePublished() {
        SandboxBuilder none = cloche.sandbox("base").publish("53:53/udp");
        assertThatThrownBy(none::start).isInstanceOf(ClocheException.class).hasMessageContaining("needs a network");
        assertThatThrownBy(() -> cloche.sandbox("base").publish(0)).isInstanceOf(ClocheException.class);
    }

    @Test
    void whatCanNeverBeReadyIsRefused() {
        assertThatThrownBy(() -> Ready.port(0)).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> Ready.http(65_536, "/")).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> Ready.http(80, "health")).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> Ready.http(80, "/a b")).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> Ready.http(80, "/a|b")).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> Ready.http(80, "/\u00e4")).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> Ready.log("")).isInstanceOf(ClocheException.class);
    }

    private static void isNotReady(ThrowingCallable wait) {
        assertThatThrownBy(wait)
                .isInstanceOfSatisfying(
                        ClocheException.class, error -> assertThat(error.code()).isEqualTo("sandbox.not-ready"));
    }

    private static void started(String name, String script) {
        cloche.sandbox("base")
                .name(name)
                .memoryMib(256)
                .command("sh", "-c", script)
                .detached()
                .start();
    }
}
