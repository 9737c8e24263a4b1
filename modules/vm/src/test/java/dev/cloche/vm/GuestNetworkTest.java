package dev.cloche.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same cases as guest/test/network_test.c, which is what the guest takes. */
final class GuestNetworkTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.203.0.15/24",
                "fd00::15/64 fe80::15/64 10.0.0.1/8 192.0.2.7/32",
                "10.0.0.0/31",
                "10.0.1.0/16 10.0.0.255/16"
            })
    void aMachinesAddressesAreTaken(String addresses) {
        assertThat(network(addresses, "", "::1 127.0.0.53").addresses()).isEqualTo(words(addresses));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0/8",
                "0.1.2.3/8",
                "127.0.0.1/8",
                "224.0.0.1/4",
                "240.0.0.1/4",
                "255.255.255.255/32",
                "10.0.0.1/0",
                "10.0.0.0/24",
                "10.0.0.255/24",
                "10.3.255.255/14",
                "::/64",
                "::1/128",
                "ff02::1/64",
                "::ffff:10.0.0.1/96",
                "fd00::1/0",
                "10.0.0.1/24 10.0.0.1/16",
                "fd00::1/64 fd00:0::1/64",
                "10.0.0.1",
                "10.0.0.1/33",
                "10.0.0.1/24\nnameserver 1.1.1.1",
                "fe80::1%eth0/64"
            })
    void anAddressThatIsNoMachinesOwnIsRefused(String addresses) {
        assertRefused(() -> network(addresses, "", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "127.0.0.1",
                "224.0.0.5",
                "255.255.255.255",
                "10.0.0.15",
                "fe80::1",
                "::",
                "10.0.0.2 ::1",
                "gateway"
            })
    void aGatewayThatLeadsNowhereIsRefused(String gateways) {
        assertRefused(() -> network("10.0.0.15/24", gateways, ""));
        assertRefused(() -> network("", "10.0.0.2", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "239.0.0.1",
                "255.255.255.255",
                "::",
                "ff02::fb",
                "::ffff:1.1.1.1",
                "1.1.1.1 ::",
                "1.1.1.1\noptions",
                "1.1.1"
            })
    void aNameServerThatIsNoMachineIsRefused(String servers) {
        assertRefused(() -> network("", "", servers));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01:00:5e:00:00:01",
                "ff:ff:ff:ff:ff:ff",
                "00:00:00:00:00:00",
                "02:00:5E:00:00:01",
                "02:00:5e:00:00",
                "02-00-5e-00-00-01"
            })
    void aMacThatNoDriverTakesIsRefused(String mac) {
        assertRefused(() -> new GuestNetwork(OptionalInt.empty(), Optional.of(mac), List.of(), List.of(), List.of()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 67, 65_536, 1279})
    void anMtuThatNoLinkHasIsRefused(int mtu) {
        assertRefused(() ->
                new GuestNetwork(OptionalInt.of(mtu), Optional.empty(), List.of("fd00::1/64"), List.of(), List.of()));
    }

    private static GuestNetwork network(String addresses, String gateways, String servers) {
        return new GuestNetwork(
                OptionalInt.empty(), Optional.empty(), words(addresses), words(gateways), words(servers));
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(" ", -1));
    }

    private static void assertRefused(Runnable one) {
        assertThatThrownBy(one::run)
                .isInstanceOfSatisfying(
                        VmException.Invalid.class,
                        refused -> assertThat(refused.remedy()).isNotBlank());
    }
}
