package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Assumptions;

/** A network with one other machine on it: a network namespace at the other end of a pair of virtual interfaces. Needs root. */
final class OutsideNetwork implements AutoCloseable {
    /** The other machine; TEST-NET-2 of RFC 5737. */
    static final String SERVER = "198.51.100.2";

    /** This host on that network. */
    static final String HERE = "198.51.100.1";

    private final String link = "clo" + ProcessHandle.current().pid() % 1_000_000;
    private final Process server;
    private final List<String> said = new CopyOnWriteArrayList<>();

    private OutsideNetwork(Process server) {
        this.server = server;
    }

    /** Makes it; skips the test where that is not possible. */
    static OutsideNetwork open() throws IOException, InterruptedException {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can make networks");
        Assumptions.assumeTrue(
                run("unshare", "-n", "true") && run("ip", "link", "show", "lo"),
                "there are no network namespaces here");
        // The namespace is that of a shell that becomes the server once its interface is up.
        List<String> java = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OutsideServer.class.getName(),
                SERVER));
        List<String> command =
                new ArrayList<>(List.of("unshare", "-n", "sh", "-c", "echo begun; read -r go; exec \"$@\"", "sh"));
        command.addAll(java);
        OutsideNetwork network = new OutsideNetwork(
                new ProcessBuilder(command).redirectErrorStream(true).start());
        try {
            network.begin();
            return network;
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            network.close();
            throw e;
        }
    }

    private void begin() throws IOException, InterruptedException {
        BufferedReader reader = server.inputReader();
        assertThat(reader.readLine()).isEqualTo("begun");
        String pid = String.valueOf(server.pid());
        must("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", pid);
        must("ip", "addr", "add", HERE + "/24", "dev", link);
        must("ip", "link", "set", link, "up");
        for (String step : List.of("addr add " + SERVER + "/24 dev eth0", "link set eth0 up", "link set lo up")) {
            List<String> command = new ArrayList<>(List.of("nsenter", "-t", pid, "-n", "ip"));
            command.addAll(List.of(step.split(" ", -1)));
            must(command.toArray(String[]::new));
        }
        server.getOutputStream().write('\n');
        server.getOutputStream().flush();
        assertThat(reader.readLine()).isEqualTo("ready");
        Thread.ofVirtual().start(() -> reader.lines().forEach(said::add));
    }

    /** Where datagrams were sent to that reached the other machine's port, as they say themselves. */
    Set<String> datagrams() {
        return Set.copyOf(said);
    }

    /** Gives this host one more address there, which goes with the network, also where the test is killed. */
    void addHere(String address) throws IOException, InterruptedException {
        must("ip", "addr", "add", address + "/32", "dev", link);
    }

    private static void must(String... command) throws IOException, InterruptedException {
        assertThat(run(command)).as(String.join(" ", command)).isTrue();
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectInput(ProcessBuilder.Redirect.from(
                                    Path.of("/dev/null").toFile()))
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    /** The interface goes with the namespace, the namespace with its process. */
    @Override
    public void close() throws IOException {
        server.destroyForcibly().onExit().join();
        server.getOutputStream().close();
    }
}
