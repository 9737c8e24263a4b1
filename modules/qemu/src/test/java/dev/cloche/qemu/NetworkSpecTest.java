package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.guard.NetworkRecord;
import dev.cloche.qemu.launch.HostPorts;
import dev.cloche.qemu.launch.PasstCommand;
import dev.cloche.qemu.launch.QemuCommand;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.UserNetwork;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.testing.InMemoryProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkSpecTest {
    private static final VmSpec PLAIN = VmSpec.of(new VmId("a"), RootDisk.raw(Path.of("/none")));

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "8080:80, 127.0.0.1:8080:80/tcp",
        "80, 127.0.0.1:0:80/tcp",
        "0:80, 127.0.0.1:0:80/tcp",
        "0.0.0.0:8080:80, 0.0.0.0:8080:80/tcp",
        "192.0.2.7::80/udp, 192.0.2.7:0:80/udp",
        "5353:53/UDP, 127.0.0.1:5353:53/udp",
        "8000-8002:9000-9002, 127.0.0.1:8000:9000/tcp 127.0.0.1:8001:9001/tcp 127.0.0.1:8002:9002/tcp",
        "9000-9001/udp, 127.0.0.1:0:9000/udp 127.0.0.1:0:9001/udp",
    })
    void portsAreReadAsInDocker(String text, String meaning) throws Exception {
        List<PublishedPort> ports = PublishedPort.parse(text);
        assertThat(NetworkRecord.text(ports)).isEqualTo(meaning);
        assertThat(NetworkRecord.ports(meaning)).isEqualTo(ports);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "80:",
                "a:80",
                "80:a",
                "65536:80",
                "80:65536",
                "80:0",
                "8000-8001:80",
                "8001-8000:80-81",
                "0-1:80-81",
                "80/sctp",
                "1.2.3:80:80",
                "1.2.3.400:80:80",
                "[::1]:80:80",
                "127.1:80:80",
                "80:80/tcp/udp",
                " 80",
                "-1:80",
                "999999:80",
                "127.0.0.1:80-81"
            })
    void whatIsNoPortIsRefused(String text) {
        assertThatThrownBy(() -> PublishedPort.parse(text)).isInstanceOf(VmException.Invalid.class);
    }

    @Test
    void noPortIsPublishedTwice() {
        NetworkSpec.User user = NetworkSpec.user();
        for (List<String> twice : List.of(List.of("80:80", "80:81"), List.of("0.0.0.0:80:80", "80:81"))) {
            assertThatThrownBy(() -> user.withPorts(parse(twice)))
                    .isInstanceOf(VmException.Invalid.class)
                    .hasMessageContaining("twice");
        }
        assertThat(user.withPorts(parse(List.of("80:80", "80:80/udp", "127.0.0.2:80:80", "0:1", "0:1")))
                        .ports())
                .hasSize(5);
        assertThatThrownBy(() -> user.withPorts(PublishedPort.parse("1000-1256:1000-1256")))
                .isInstanceOf(VmException.Invalid.class);
    }

    private static List<PublishedPort> parse(List<String> texts) {
        return texts.stream()
                .flatMap(text -> PublishedPort.parse(text).stream())
                .toList();
    }

    @Test
    void aNameServerIsAnIpv4Address() {
        assertThat(NetworkSpec.user()
                        .withNameServer(InetAddress.ofLiteral("9.9.9.9"))
                        .nameServer())
                .contains("9.9.9.9");
        assertThatThrownBy(() -> NetworkSpec.user().withNameServer(InetAddress.ofLiteral("::1")))
                .isInstanceOf(VmException.Invalid.class);
    }

    @Test
    void eachVmHasAnAddressOfItsOwnThatStays() {
        String mac = UserNetwork.mac(new VmId("a"));
        assertThat(mac).matches("02(:[0-9a-f]{2}){5}").isEqualTo(UserNetwork.mac(new VmId("a")));
        assertThat(UserNetwork.mac(new VmId("b"))).isNotEqualTo(mac);
        assertThat(mac).isNotEqualTo(UserNetwork.DEVICE_MAC);
    }

    @Test
    void passtIsKeptFromWhatTheGuestIsToldAnyway() {
        List<String> command = PasstCommand.of(Path.of("/p"), PublishedPort.parse("0.0.0.0:8080:80"));
        assertThat(command)
                .startsWith("/p")
                .contains("--ipv4-only", "--no-dhcp", "--no-ndp", "--foreground")
                .containsSequence("--tcp-ports", "0.0.0.0/8080:80");
    }

    @Test
    void portsThatMayBeAnyAreAllDifferent() {
        List<PublishedPort> chosen = HostPorts.chosen(parse(List.of("1", "2", "3/udp", "7000:4")));
        assertThat(chosen).extracting(PublishedPort::hostPort).doesNotContain(0).doesNotHaveDuplicates();
        assertThat(chosen.getLast().hostPort()).isEqualTo(7000);
    }

    @Test
    void aPortThatCannotBeHadIsNamedWithItsReason() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<PublishedPort> ports = parse(List.of("0:1", taken.getLocalPort() + ":80"));
            assertThat(HostPorts.problem(ports)).hasValueSatisfying(e -> {
                assertThat(e.port()).isEqualTo(ports.getLast());
                assertThat(e.code()).isEqualTo("vm.port");
                assertThat(e).hasMessageContaining("in use");
            });
        }
        // TEST-NET-3 of RFC 5737, no address of this host.
        assertThat(HostPorts.problem(PublishedPort.parse("203.0.113.9:0:80"))).isPresent();
    }

    @Test
    void aGuestInMemoryHasNoNetworkAndSaysSo() {
        try (InMemoryProvider provider = new InMemoryProvider()) {
            assertThatThrownBy(() -> provider.create(PLAIN.withNetwork(NetworkSpec.user())))
                    .isInstanceOf(VmException.Invalid.class);
            assertThat(provider.list()).isEmpty();
        }
    }

    @Test
    void onlyAVmWithANetworkHasItsDevice() {
        assertThat(QemuCommand.devices(PLAIN, new TreeSet<>())).noneMatch(device -> device.contains("net"));
        assertThat(QemuCommand.devices(PLAIN.withNetwork(NetworkSpec.user()), new TreeSet<>()))
                .contains("virtio-net-device,netdev=net,mac=" + UserNetwork.DEVICE_MAC);
    }

    @Test
    void aRecordOfPortsThatIsDamagedIsAnError() throws Exception {
        assertThat(NetworkRecord.read(directory)).isEmpty();
        Files.writeString(directory.resolve("network.json"), "{\"version\":1,\"ports\":\"nonsense\"}");
        assertThatThrownBy(() -> NetworkRecord.read(directory)).isInstanceOf(IOException.class);
    }

    @Test
    void withoutPasstItIsSaidWhatToInstall() {
        KernelImage kernel = new KernelImage(Path.of("/k"), Path.of("/i"), KernelProperties.UNRECORDED);
        VmResources without = new VmResources(Path.of("/q"), Path.of("/g"), Path.of("/t"), kernel);
        assertThatThrownBy(without::requirePasst)
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.remedy()).contains("apt-get install passt"));
    }
}
