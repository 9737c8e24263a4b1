package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.machine.MachineState;
import dev.cloche.vm.Network;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The network of named machines, through passt, and the ports that they publish. */
class MachineNetworkIT {
    @TempDir
    Path home;

    private Cloche cloche;
    private Machines machines;

    @BeforeEach
    void open() {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/passt")), "passt is missing: run ./setup");
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
    void aPublishedPortLeadsIntoAMachineAlsoAfterASuspensionAndNotIntoItsClone() {
        machines.create("web", "base")
                .memoryMib(256)
                .cpus(1)
                .diskGib(1)
                .network(Network.USER)
                .publish("0:8080")
                .make();
        assertThat(machines.get("web").network()).isEqualTo(Network.USER);
        try (Machine web = machines.start("web")) {
            serve(web, "one");
        }
        MachineInfo running = machines.get("web");
        assertThat(running.ipAddress()).isPresent();
        assertThat(running.ports()).hasSize(1);
        assertAnswers(running, "one");

        MachineInfo clone = machines.copy("web", "two", true);
        assertThat(clone.publish()).isEmpty();
        try (Machine two = machines.start("two")) {
            assertThat(two.exec("ip", "-o", "addr", "show", "eth0").stdoutText())
                    .contains(machines.get("two").ipAddress().orElseThrow());
        }
        assertThat(machines.get("two").ports()).isEmpty();

        machines.suspend("web");
        assertThat(machines.get("web").ipAddress()).isEmpty();
        assertThatThrownBy(() -> machines.change(
                        "web", new MachineChange().publish(List.of()).network(Network.NONE)))
                .hasMessageContaining("is suspended");
        machines.start("web").close();
        assertAnswers(machines.get("web"), "one");

        assertThat(machines.recover().machines()).extracting(MachineInfo::state).containsOnly(MachineState.RUNNING);
        assertAnswers(machines.get("web"), "one");
        machines.stop("web", Duration.ofSeconds(5));
        assertThat(machines.get("web").ports()).isEmpty();
    }

    @Test
    void aSnapshotWithMemoryBringsTheNetworkBackAndOneThatDoesNotFitSaysSo() {
        machines.create("web", "base")
                .memoryMib(256)
                .cpus(1)
                .diskGib(1)
                .network(Network.USER)
                .make();
        try (Machine web = machines.start("web")) {
            serve(web, "kept");
            machines.snapshot("web", "then", true);
        }
        machines.stop("web", Duration.ZERO);
        machines.change("web", new MachineChange().publish(List.of("0:8080")));
        machines.restore("web", "then");
        machines.start("web").close();
        assertAnswers(machines.get("web"), "kept");

        machines.stop("web", Duration.ZERO);
        machines.change("web", new MachineChange().publish(List.of()).network(Network.NONE));
        machines.restore("web", "then");
        assertThatThrownBy(() -> machines.start("web")).hasMessageContaining("with a network");
        assertThat(machines.get("web").state()).isEqualTo(MachineState.SUSPENDED);
    }

    @Test
    void aPortNeedsNoNetworkAndComesAgainWithTheMachine() {
        machines.create("web", "base")
                .memoryMib(256)
                .cpus(1)
                .diskGib(1)
                .publish(8080)
                .make();
        assertThat(machines.get("web").network()).isEqualTo(Network.NONE);
        try (Machine web = machines.start("web")) {
            serve(web, "one");
            assertThat(web.exec("ls", "/sys/class/net").stdoutText()).isEqualTo("lo\n");
        }
        assertAnswers(machines.get("web"), "one");
        machines.suspend("web");
        assertThat(machines.get("web").ports()).isEmpty();
        machines.start("web").close();
        assertAnswers(machines.get("web"), "one");
        assertThat(machines.recover().machines()).extracting(MachineInfo::state).containsOnly(MachineState.RUNNING);
        assertThat(machines.get("web").ports()).hasSize(1);
        assertAnswers(machines.get("web"), "one");
    }

    @Test
    void whatIsNoPortOrNoNetworkIsRefusedBeforeAnything() {
        assertThatThrownBy(
                        () -> machines.create("web", "base").publish("eighty").make())
                .hasMessageContaining("publishes no port");
        assertThatThrownBy(() ->
                        machines.create("web", "base").publish("80:80/udp").make())
                .hasMessageContaining("UDP needs a network");
        assertThat(machines.list().machines()).isEmpty();
    }

    private static void serve(Machine machine, String answer) {
        // It serves several at a time: one connection whose end the guest does not hear of (docs/vm.md) is in the
        // way of no other.
        String server = "mkdir -p /www && echo " + answer + " >/www/answer && httpd -p 8080 -h /www";
        assertThat(machine.exec("sh", "-c", server).exitCode()).isZero();
    }

    private static void assertAnswers(MachineInfo machine, String answer) {
        int port = machine.ports().getFirst().hostPort();
        Awaitility.await().until(() -> ask(port).endsWith("\n" + answer + "\n"));
    }

    /** Returns what is answered; empty while no program listens behind the port. */
    private static String ask(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5000);
            socket.getOutputStream().write("GET /answer HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (SocketException | SocketTimeoutException notYet) {
            return "";
        }
    }
}
