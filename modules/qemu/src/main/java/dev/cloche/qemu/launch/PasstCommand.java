package dev.cloche.qemu.launch;

import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.UserNetwork;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes the command line of passt, which gives a guest its network; see docs/vm.md. Pure. */
public final class PasstCommand {
    private PasstCommand() {}

    /**
     * Returns passt's command line; its socket is descriptor 3.
     *
     * @param ports with the ports of the host chosen
     */
    public static List<String> of(Path passt, List<PublishedPort> ports) {
        List<String> out = new ArrayList<>(List.of(passt.toString(), "--foreground", "--quiet", "--stderr"));
        out.addAll(List.of("--fd", "3", "--ipv4-only"));
        out.addAll(List.of(
                "--address",
                UserNetwork.ADDRESS,
                "--netmask",
                UserNetwork.PREFIX,
                "--gateway",
                UserNetwork.GATEWAY,
                "--mac-addr",
                UserNetwork.GATEWAY_MAC));
        out.addAll(
                List.of("--dns-forward", UserNetwork.NAME_SERVER, "--no-dhcp", "--no-dhcpv6", "--no-ndp", "--no-ra"));
        for (PublishedPort port : ports) {
            out.add(port.protocol() == PublishedPort.Protocol.TCP ? "--tcp-ports" : "--udp-ports");
            out.add(port.hostAddress() + "/" + port.hostPort() + ":" + port.guestPort());
        }
        return List.copyOf(out);
    }
}
