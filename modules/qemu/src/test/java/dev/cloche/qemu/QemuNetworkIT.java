package dev.cloche.qemu;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.launch.HostPorts;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.UserNetwork;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Networks of real guests: what they reach, what they do not, and what reaches them. */
class QemuNetworkIT extends QemuTest {
    @BeforeAll
    static void makeDiskWithNetprobe() throws Exception {
        resources = QemuInstallation.withPasst();
        disk = QemuInstallation.diskWithNetprobe(Files.createDirectory(shared.resolve("netprobe")));
    }

    private Vm running(NetworkSpec network) {
        Vm vm = provider.create(spec().withNetwork(network));
        vm.start(soon());
        return vm;
    }

    private static NetworkSpec.User publishing(String... ports) {
        return NetworkSpec.user()
                .withPorts(List.of(ports).stream()
                        .flatMap(port -> PublishedPort.parse(port).stream())
                        .toList());
    }

    private String sh(Vm vm, String script) throws IOException {
        return shell(vm, script).strip();
    }

    /** Serves until the VM ends. */
    private void serve(Vm vm, String name) {
        var _ = vm.guest()
                .exec(
                        ExecRequest.of(
                                "sh",
                                "-c",
                                "while true; do echo from-" + name + " | nc -l -p 80; done >/dev/null 2>&1"),
                        soon());
    }

    private static String ask(int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5000);
            socket.setSoTimeout(5000);
            return new String(socket.getInputStream().readAllBytes(), UTF_8).strip();
        }
    }

    /** A guest's server may not listen at the moment, and passt then ends the connection. */
    private static void awaitAnswer(int port, String answer) {
        Awaitility.await().ignoreExceptions().until(() -> ask(port).equals(answer));
    }

    @Test
    void aGuestWithoutANetworkHasNoDevice() throws IOException {
        try (Vm vm = running(NetworkSpec.none())) {
            assertThat(sh(vm, "busybox ls /sys/class/net")).isEqualTo("lo");
            assertThat(sh(vm, "busybox ls /sys/bus/virtio/devices/*/net 2>/dev/null; true"))
                    .isEmpty();
            assertThat(provider.publishedPorts(vm.id())).isEmpty();
        }
    }

    @Test
    void aGuestReachesWhatIsOutsideAndNothingOfTheHost() throws Exception {
        try (OutsideNetwork outside = OutsideNetwork.open();
                ServerSocket everywhere = new ServerSocket(OutsideServer.PORT + 1);
                DatagramSocket datagrams = new DatagramSocket(new InetSocketAddress(OutsideServer.PORT + 1));
                Vm vm = running(NetworkSpec.user().withNameServer(InetAddress.ofLiteral(OutsideNetwork.SERVER)))) {
            assertThat(sh(vm, "netprobe tcp 8000 60 198.51.100.2")).isEqualTo("connected outside");
            assertThat(sh(vm, "busybox nslookup cloche.example"))
                    .contains("cloche.example")
                    .contains(OutsideNetwork.SERVER);

            String host = addressOfDefaultRoute();
            String port = String.valueOf(OutsideServer.PORT + 1);
            assertThat(sh(
                            vm,
                            "netprobe tcp " + port + " 1 127.0.0.1 10.203.0.2 10.203.0.3 10.203.0.15 198.51.100.1"
                                    + " 169.254.169.254 " + host))
                    .isEmpty();
            // The same port of the other machine lets the same frames in, so that it is not the sender who fails.
            sh(
                    vm,
                    "netprobe attack " + port
                            + " 127.0.0.1 127.0.0.53 127.255.0.1 0.0.0.0 0.1.2.3 10.203.0.2 10.203.0.3"
                            + " 10.203.0.15 198.51.100.1 198.51.100.255 255.255.255.255 224.0.0.1 169.254.1.1 " + host
                            + " ::1 :: ::ffff:127.0.0.1 ::ffff:198.51.100.1 fe80::1 fd00::2 ff02::1");
            sh(vm, "netprobe attack " + OutsideServer.PORT + " 198.51.100.2");
            Awaitility.await().until(() -> outside.datagrams().contains("datagram 198.51.100.2"));
            assertNothingCame(everywhere, datagrams);
            assertThat(provider.sincePortsUsed(vm.id()))
                    .as("nothing that a guest does looks like use of it")
                    .isEmpty();
        }
    }

    /** Where passt had to lose some of it, the end did not come either now and then, and the guest's reader waited for ever. */
    @Test
    void muchThatIsSentToAPortArrivesAndSoDoesItsEnd() throws Exception {
        try (Vm vm = running(publishing("127.0.0.1:0:80"))) {
            assertThat(sh(vm, "busybox cat /proc/sys/net/ipv4/tcp_rmem")).isEqualTo("4096\t131072\t425984");
            var _ = vm.guest().exec(ExecRequest.of("busybox", "nc", "-ll", "-p", "80", "-e", "wc", "-c"), soon());
            sh(vm, "until busybox grep -qs ':0050 .* 0A ' /proc/net/tcp /proc/net/tcp6; do busybox usleep 20000; done");
            int port = provider.publishedPorts(vm.id()).getFirst().hostPort();
            for (int i = 0; i < 3; i++) {
                assertThat(counted(port, 512)).isEqualTo(String.valueOf(32 << 20));
            }
        }
    }

    /** Returns what the guest says when all of it, and its end, have come. */
    private static String counted(int port, int pieces) throws IOException {
        byte[] piece = new byte[64 * 1024];
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(120_000);
            for (int i = 0; i < pieces; i++) {
                socket.getOutputStream().write(piece);
            }
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), UTF_8).strip();
        }
    }

    private static void assertNothingCame(ServerSocket everywhere, DatagramSocket datagrams) throws IOException {
        everywhere.setSoTimeout(500);
        assertThatThrownBy(everywhere::accept).isInstanceOf(SocketTimeoutException.class);
        datagrams.setSoTimeout(500);
        assertThatThrownBy(() -> datagrams.receive(new DatagramPacket(new byte[100], 100)))
                .isInstanceOf(SocketTimeoutException.class);
    }

    /** This host as its neighbours know it. */
    private static String addressOfDefaultRoute() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 9));
            return socket.getLocalAddress().getHostAddress();
        }
    }

    @Test
    void anAddressThatTheHostGetsLaterIsOutOfReachToo() throws Exception {
        try (OutsideNetwork outside = OutsideNetwork.open();
                Vm vm = running(NetworkSpec.user())) {
            assertThat(outside.datagrams()).isEmpty();
            outside.addHere("198.51.100.77");
            try (ServerSocket server = new ServerSocket(0, 5, InetAddress.ofLiteral("198.51.100.77"))) {
                assertThat(sh(vm, "netprobe tcp " + server.getLocalPort() + " 2 198.51.100.77"))
                        .isEmpty();
            }
        }
    }

    @Test
    void publishedPortsAnswerOnTheHost() throws Exception {
        try (Vm vm = running(publishing("0:80", "0.0.0.0::81", "0:53/udp"))) {
            List<PublishedPort> ports = provider.publishedPorts(vm.id());
            assertThat(ports).extracting(PublishedPort::guestPort).containsExactly(80, 81, 53);
            assertThat(ports).allSatisfy(port -> assertThat(port.hostPort()).isPositive());
            assertThat(provider.sincePortsUsed(vm.id())).isEmpty();
            serve(vm, "tcp");
            awaitAnswer(ports.getFirst().hostPort(), "from-tcp");
            assertThat(provider.sincePortsUsed(vm.id())).isPresent();
            try (GuestExecution echo = vm.guest().exec(ExecRequest.of("netprobe", "udp-echo", "53"), soon())) {
                assertThat(echo.stdout().read()).isEqualTo('r');
                int port = ports.getLast().hostPort();
                // A datagram may be lost.
                Awaitility.await().ignoreExceptions().until(() -> exchange(port).equals("ping"));
            }
        }
    }

    private static String exchange(int port) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(5000);
            socket.connect(InetAddress.getLoopbackAddress(), port);
            socket.send(new DatagramPacket("ping".getBytes(UTF_8), 4));
            DatagramPacket answer = new DatagramPacket(new byte[100], 100);
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), UTF_8);
        }
    }

    @Test
    void twoGuestsDoNotSeeEachOther() throws Exception {
        try (Vm one = running(publishing("0.0.0.0:0:80"));
                Vm other = running(publishing("0.0.0.0:0:80"))) {
            serve(one, "one");
            serve(other, "other");
            int port = provider.publishedPorts(one.id()).getFirst().hostPort();
            awaitAnswer(port, "from-one");
            awaitAnswer(provider.publishedPorts(other.id()).getFirst().hostPort(), "from-other");
            assertThat(sh(one, "busybox cat /sys/class/net/eth0/address"))
                    .isNotEqualTo(sh(other, "busybox cat /sys/class/net/eth0/address"));
            for (String at : List.of("80", String.valueOf(port))) {
                assertThat(sh(
                                other,
                                "netprobe tcp " + at + " 1 127.0.0.1 10.203.0.2 10.203.0.14 "
                                        + addressOfDefaultRoute()))
                        .doesNotContain("from-one");
            }
        }
    }

    @Test
    void aPortInUseIsNamedAndNothingIsLeft() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Vm vm = provider.create(spec().withNetwork(publishing("0:81", taken.getLocalPort() + ":80")))) {
            assertThatThrownBy(() -> vm.start(soon()))
                    .isInstanceOfSatisfying(
                            VmException.PortUnavailable.class,
                            e -> assertThat(e.port().hostPort()).isEqualTo(taken.getLocalPort()))
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort() + "/tcp")
                    .hasMessageContaining("in use");
            assertThat(vm.state()).isEqualTo(VmState.FAILED);
            vm.destroy();
        }
        assertThat(processesOf(fixture.stateRoot())).isEmpty();
    }

    @Test
    void clonesHaveNetworksOfTheirOwn() throws Exception {
        SnapshotRef template;
        try (Vm maker = provider.create(spec().withNetwork(publishing("0:80")).asTemplateMaker())) {
            maker.start(soon());
            template = maker.snapshot(new SnapshotName("net"), soon());
            maker.destroy();
        }
        assertThat(template.network()).isTrue();
        try (OutsideNetwork outside = OutsideNetwork.open();
                Vm one = publishingClone(template);
                Vm other = publishingClone(template)) {
            assertThat(outside.datagrams()).isEmpty();
            for (Vm vm : List.of(one, other)) {
                assertThat(sh(vm, "busybox cat /sys/class/net/eth0/address")).isEqualTo(UserNetwork.mac(vm.id()));
                assertThat(sh(vm, "netprobe tcp 8000 60 198.51.100.2")).isEqualTo("connected outside");
                serve(vm, vm.id().value());
                awaitAnswer(provider.publishedPorts(vm.id()).getFirst().hostPort(), "from-" + vm.id());
            }
        }
        assertThatThrownBy(() -> VmSpec.restored(VmId.random(), template).withNetwork(NetworkSpec.none()))
                .isInstanceOf(VmException.Invalid.class);
    }

    private Vm publishingClone(SnapshotRef template) {
        Vm vm = provider.create(VmSpec.restored(VmId.random(), template).withNetwork(publishing("0:80")));
        vm.start(soon());
        return vm;
    }

    @Test
    void aSnapshotLeavesTheOriginalItsNetwork() throws Exception {
        try (OutsideNetwork outside = OutsideNetwork.open();
                Vm vm = running(NetworkSpec.user())) {
            assertThat(vm.snapshot(new SnapshotName("kept"), soon()).network()).isTrue();
            assertThat(sh(vm, "netprobe tcp 8000 60 198.51.100.2")).isEqualTo("connected outside");
            assertThat(outside.datagrams()).isEmpty();
        }
    }

    @Test
    void anAdoptedGuestKeepsItsNetworkAndItsPorts() throws Exception {
        VmId id;
        List<PublishedPort> ports;
        try (Vm vm = running(publishing("0:80"))) {
            id = vm.id();
            ports = provider.publishedPorts(id);
            serve(vm, "kept");
            vm.detach();
        }
        try (QemuProvider next = fixture.open();
                Vm vm = next.adopt(id, soon())) {
            assertThat(next.publishedPorts(id)).isEqualTo(ports);
            awaitAnswer(ports.getFirst().hostPort(), "from-kept");
            vm.kill(soon());
            vm.destroy();
        }
        assertThat(processesOf(fixture.stateRoot())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"qemu", "passt", "cloche-guard", "the guard itself"})
    void whicheverProcessIsKilledNothingIsLeft(String victim) throws Exception {
        try (Vm vm = running(publishing("0:80"))) {
            int port = provider.publishedPorts(vm.id()).getFirst().hostPort();
            ProcessHandle guard = ProcessHandle.of(provider.get(vm.id())
                            .orElseThrow()
                            .guard()
                            .orElseThrow()
                            .pid())
                    .orElseThrow();
            List<ProcessHandle> family = guard.children().toList();
            // Besides QEMU and passt there are the relay, the forwarder and the binder, which are all named as the
            // guard is.
            assertThat(family).hasSize(5);
            family.stream()
                    .filter(child -> child.info().command().orElse("").contains(victim))
                    .findFirst()
                    .orElse(guard)
                    .destroyForcibly();
            VmExit exit = vm.awaitExit(soon());
            assertThat(exit.crashed()).isTrue();
            assertThat(exit.cause())
                    .isEqualTo(
                            switch (victim) {
                                case "qemu" -> VmExit.Cause.EXITED;
                                case "the guard itself" -> VmExit.Cause.GUARD_LOST;
                                default -> VmExit.Cause.NETWORK_ENDED;
                            });
            for (ProcessHandle member : family) {
                Awaitility.await().until(() -> !member.isAlive());
            }
            assertThat(HostPorts.problem(PublishedPort.parse(port + ":80"))).isEmpty();
            vm.destroy();
        }
    }

    @Test
    void theNameServerIsTheGateways() throws IOException {
        try (Vm vm = running(NetworkSpec.user())) {
            assertThat(sh(vm, "busybox cat /etc/resolv.conf")).isEqualTo("nameserver 10.203.0.3");
            assertThat(sh(vm, "busybox ip -4 addr show eth0")).contains("10.203.0.15/24", "mtu 65520");
            assertThat(sh(vm, "busybox ip route")).contains("default via 10.203.0.2 dev eth0");
        }
    }

    @Test
    void withoutPasstTheErrorSaysWhatToInstall() {
        VmResources without =
                new VmResources(resources.qemu(), resources.guard(), resources.clockMeter(), resources.kernel());
        try (QemuProvider lacking = new QemuProvider(fixture.layout(), without);
                Vm vm = lacking.create(spec().withNetwork(NetworkSpec.user()))) {
            assertThatThrownBy(() -> vm.start(soon()))
                    .isInstanceOfSatisfying(
                            VmException.MissingResource.class,
                            e -> assertThat(e.remedy()).contains("apt-get install passt"));
            vm.destroy();
        }
    }

    /** What runs in a VM's directory below the state root, passt aside, which has none that can be seen. */
    static List<ProcessHandle> processesOf(Path stateRoot) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .arguments()
                        .map(arguments -> String.join(" ", arguments))
                        .filter(line -> line.contains(stateRoot.toString()))
                        .isPresent())
                .toList();
    }
}
