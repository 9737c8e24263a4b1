package dev.cloche.vm;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The link between a guest and passt; see docs/vm.md. Every guest has the same addresses on a link of its own, so that what
 * it remembers of them is true after a restore too; guard/src/filter.h knows them as well.
 */
final class UserNetwork {
    /** What QEMU is told, for all alike: a guest's own is set with its identity. */
    static final String DEVICE_MAC = "02:c1:0c:00:00:01";

    private static final String GATEWAY_MAC = "02:c1:0c:00:00:02";
    static final String ADDRESS = "10.203.0.15";
    private static final String PREFIX = "24";
    private static final String GATEWAY = "10.203.0.2";
    private static final String NAME_SERVER = "10.203.0.3";
    /** The largest that passt takes: packets that need not be cut cost the least. */
    private static final int MTU = 65_520;

    private UserNetwork() {}

    /** What the guest's first interface becomes. */
    static GuestNetwork of(VmId id, NetworkSpec.User network) {
        return new GuestNetwork(
                OptionalInt.of(MTU),
                Optional.of(mac(id)),
                List.of(ADDRESS + "/" + PREFIX),
                List.of(GATEWAY),
                List.of(network.nameServer().orElse(NAME_SERVER)));
    }

    /** One's own, the same for as long as the VM is: a locally administered address. */
    static String mac(VmId id) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(id.value().getBytes(StandardCharsets.UTF_8));
            StringBuilder mac = new StringBuilder("02");
            for (int i = 0; i < 5; i++) {
                mac.append(":%02x".formatted(digest[i]));
            }
            return mac.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * passt's command line; its socket is descriptor 3.
     *
     * @param ports with the ports of the host chosen
     */
    static List<String> command(Path passt, List<PublishedPort> ports) {
        List<String> out = new ArrayList<>(List.of(passt.toString(), "--foreground", "--quiet", "--stderr"));
        out.addAll(List.of("--fd", "3", "--ipv4-only", "--no-map-gw"));
        out.addAll(List.of("--address", ADDRESS, "--netmask", PREFIX, "--gateway", GATEWAY, "--mac-addr", GATEWAY_MAC));
        out.addAll(List.of("--dns-forward", NAME_SERVER, "--no-dhcp", "--no-dhcpv6", "--no-ndp", "--no-ra"));
        for (PublishedPort port : ports) {
            out.add(port.protocol() == PublishedPort.Protocol.TCP ? "--tcp-ports" : "--udp-ports");
            out.add(port.hostAddress() + "/" + port.hostPort() + ":" + port.guestPort());
        }
        return List.copyOf(out);
    }
}
