package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.qemu.launch.HostPorts;
import dev.cloche.qemu.launch.PasstCommand;
import dev.cloche.vm.PublishedPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The guard's part of a network, with the real passt: who ends with whom, and that nothing is left. */
class GuardNetworkTest {
    private static final Path PASST = Path.of("/usr/bin/passt");
    private static Path binary = Path.of("");

    @TempDir
    Path directory = Path.of("");

    private int port;

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(PASST), "passt is not installed");
        binary = GuardBinary.compile();
    }

    private GuardRun guard(String script, String... options) throws IOException {
        port = HostPorts.chosen(PublishedPort.parse("80")).getFirst().hostPort();
        return withNetwork(PasstCommand.of(PASST, PublishedPort.parse(port + ":80")), script, options);
    }

    private GuardRun withNetwork(List<String> command, String script, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("--network-mac", "02:00:00:00:00:07"));
        command.forEach(argument -> all.addAll(List.of("--network", argument)));
        all.addAll(List.of(options));
        return GuardRun.script(binary, directory, all, script);
    }

    private static List<ProcessHandle> family(GuardRun guard) {
        List<ProcessHandle> children =
                ProcessHandle.of(guard.pid()).orElseThrow().children().toList();
        assertThat(children).as("program, passt and relay").hasSize(3);
        return children;
    }

    /** Which of the family it is: by its program, and the relay by being the guard's. */
    private static ProcessHandle member(GuardRun guard, String program) {
        return family(guard).stream()
                .filter(child -> child.info().command().orElse("").contains(program))
                .findFirst()
                .orElseThrow();
    }

    private void assertAllGone(List<ProcessHandle> family) {
        for (ProcessHandle member : family) {
            await().until(() -> !member.isAlive());
        }
        await().until(this::portIsFree);
    }

    private boolean portIsFree() {
        try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    @Test
    void thePortsAreThereBeforeTheStartIsToldAndGoWithTheProgram() throws Exception {
        assertThat(GuardRun.shell("mkfifo '" + directory + "/go'")).isZero();
        try (GuardRun guard = guard("read -r word < '" + directory + "/go'; exit 3")) {
            assertThat(portIsFree()).isFalse();
            List<ProcessHandle> family = family(guard);
            assertThat(GuardRun.shell("echo now > '" + directory + "/go'")).isZero();
            assertThat(guard.ending()).contains("\"cause\":\"exited\",\"exitCode\":3");
            assertAllGone(family);
        }
    }

    @Test
    void theEndOfPasstIsTheEndOfTheProgram() throws Exception {
        endOf("passt", "\"cause\":\"network-ended\"");
    }

    @Test
    void theEndOfTheRelayIsTheEndOfTheProgram() throws Exception {
        endOf("cloche-guard", "\"cause\":\"network-ended\"");
    }

    @Test
    void theKilledProgramIsNotTakenForTheEndOfTheNetwork() throws Exception {
        endOf("/sleep", "\"cause\":\"exited\",\"exitCode\":null,\"signal\":9");
    }

    private void endOf(String program, String ending) throws Exception {
        try (GuardRun guard = guard("exec sleep 100")) {
            List<ProcessHandle> family = awaitExec(guard);
            member(guard, program).destroyForcibly();
            assertThat(guard.ending()).contains(ending);
            assertAllGone(family);
        }
    }

    private static List<ProcessHandle> awaitExec(GuardRun guard) {
        await().until(() -> family(guard).stream()
                .anyMatch(child -> child.info().command().orElse("").endsWith("/sleep")));
        return family(guard);
    }

    @Test
    void aKilledGuardLeavesNothing() throws Exception {
        try (GuardRun guard = guard("exec sleep 100")) {
            List<ProcessHandle> family = awaitExec(guard);
            guard.signal("KILL");
            guard.exitCode();
            assertAllGone(family);
        }
    }

    @Test
    void itIsNotedThatAPublishedPortIsUsed() throws Exception {
        try (GuardRun _ = guard("exec sleep 100")) {
            assertThat(TrafficRecord.sinceUse(directory)).isEmpty();
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
                await().until(() -> TrafficRecord.sinceUse(directory).isPresent());
            }
        }
    }

    @Test
    void theNetworkGoesWithTheOwner() throws Exception {
        try (GuardRun guard = guard("exec sleep 100", "--owner-grace-ms", "50")) {
            List<ProcessHandle> family = family(guard);
            guard.closeOwnerPipe();
            assertThat(guard.ending()).contains("\"cause\":\"owner-gone\"");
            assertAllGone(family);
        }
    }

    @Test
    void theNetworkDoesNotHoldTheLockOrTheStartersPipes() throws Exception {
        try (GuardRun guard = guard("exec sleep 100")) {
            for (String program : List.of("passt", "cloche-guard")) {
                Path files =
                        Path.of("/proc", String.valueOf(member(guard, program).pid()), "fd");
                try (var open = Files.newDirectoryStream(files)) {
                    for (Path file : open) {
                        Path target = Files.readSymbolicLink(file);
                        boolean relays = program.equals("cloche-guard") && target.equals(directory.resolve("traffic"));
                        assertThat(relays || !target.startsWith(directory))
                                .as("%s has %s", program, target)
                                .isTrue();
                    }
                }
            }
        }
    }

    @Test
    void aNetworkThatFailsIsOneSentenceAndItsLog() throws Exception {
        Path socket = directory.resolve("s");
        try (GuardRun guard = withNetwork(
                List.of("/bin/sh", "-c", "echo no route >&2; exit 1"),
                "exec sleep 100",
                "--listen",
                socket.toString())) {
            assertThat(guard.said()).isEqualTo("failed the network does not answer\n");
            assertThat(guard.exitCode()).isEqualTo(70);
            assertThat(directory.resolve("network.log")).content().contains("no route");
            assertThat(socket).doesNotExist();
            assertThat(directory.resolve("exit.json")).doesNotExist();
        }
    }

    @Test
    void aPortThatIsTakenIsAFailureToo() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                GuardRun guard = withNetwork(
                        PasstCommand.of(PASST, PublishedPort.parse(taken.getLocalPort() + ":80")), "exec sleep 100")) {
            assertThat(guard.said()).isEqualTo("failed the network does not answer\n");
            assertThat(directory.resolve("network.log")).content().contains("Failed to bind");
        }
    }

    @Test
    void aMacThatIsNoneIsRefused() throws Exception {
        try (GuardRun guard =
                GuardRun.script(binary, directory, List.of("--network-mac", "02:00:00:00:00:7"), "true")) {
            assertThat(guard.said()).startsWith("failed --network-mac needs six bytes");
        }
    }
}
