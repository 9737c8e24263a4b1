package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.machine.MachineState;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Waits for what runs in machines, and for their start. */
@Timeout(1200)
class MachineReadyIT {
    private static final Duration SHORT = Duration.ofMillis(300);
    /** Ends a hang only. */
    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir
    Path home;

    private Cloche cloche;
    private Machines machines;

    @BeforeEach
    void open() {
        cloche = MachinesInVms.opened(home.resolve("state"));
        machines = cloche.machines();
    }

    @AfterEach
    void close() {
        if (cloche != null) {
            machines.list().machines().forEach(machine -> machines.remove(machine.name(), true));
            cloche.close();
        }
    }

    @Test
    void aMachineIsWaitedForAsASandboxIs() throws IOException {
        machines.create("web", "base")
                .memoryMib(256)
                .cpus(1)
                .diskGib(1)
                .publish(8080)
                .make();
        try (Machine web = cloche.machine("web").startTimeout(LONG).start()) {
            failsWith("machine.not-ready", () -> web.await(Ready.port(8080), SHORT));
            failsWith("machine.not-ready", () -> web.await(Ready.http(8080, "/health"), SHORT));
            failsWith("machine.not-ready", () -> web.await(Ready.command("test", "-e", "/www/health"), SHORT));
            web.exec("sh", "-c", "mkdir /www && httpd -p 8080 -h /www").orThrow();
            web.await(Ready.port(8080), LONG);
            try (Execution later =
                    web.command("sh", "-c", "sleep 1; echo well > /www/health").start()) {
                web.await(Ready.command("test", "-e", "/www/health"), LONG);
                web.await(Ready.http(8080, "/health"), LONG);
                later.await();
            }
            URI uri = web.ports().of(8080).uri("http");
            assertThat(uri.getHost()).isEqualTo("127.0.0.1");
            try (InputStream answer = uri.resolve("/health").toURL().openStream()) {
                assertThat(answer.readAllBytes())
                        .asString(StandardCharsets.UTF_8)
                        .isEqualTo("well\n");
            }
            assertThat(web.ports().list()).isEqualTo(machines.get("web").ports());

            // What is not published is led there by the handle.
            assertThat(web.ports().of(80).guestPort()).isEqualTo(80);
            assertThat(web.ports().list()).hasSize(2);
            failsWith("vm.invalid", () -> web.ports().of(0));
            failsWith("machine.invalid", () -> web.await(Ready.log("ready"), LONG));
            failsWith("vm.spawn.command-not-found", () -> web.await(Ready.command("no-such-program"), LONG));

            machines.stop("web", Duration.ZERO);
            failsWith("machine.state", () -> web.await(Ready.port(80), LONG));
        }
    }

    @Test
    void aStartThatTakesTooLongLeavesAMachineThatCanBeStarted() {
        machines.create("dev", "base").memoryMib(256).cpus(1).diskGib(1).make();
        assertThatThrownBy(() -> cloche.machine("dev")
                        .startTimeout(Duration.ofMillis(100))
                        .start())
                .isInstanceOfSatisfying(
                        ClocheException.class, error -> assertThat(error.code()).contains("deadline"));
        assertThat(machines.get("dev").state()).isNotEqualTo(MachineState.RUNNING);
        try (Machine dev = cloche.machine("dev").startTimeout(LONG).start()) {
            assertThat(dev.exec("hostname").stdoutText()).isEqualTo("dev\n");
        }
        // A limit that has passed does not keep it from being connected to.
        cloche.machine("dev").startTimeout(LONG).start().close();
    }

    private static void failsWith(String code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ClocheException.class, error -> assertThat(error.code()).isEqualTo(code));
    }
}
