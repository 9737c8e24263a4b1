package dev.cloche.cli;

import dev.cloche.Network;
import dev.cloche.SandboxBuilder;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The network of a sandbox that is about to be made. */
final class NetworkOptions {
    @Option(
            names = "--network",
            paramLabel = "NETWORK",
            description = "none: no network device (default); user: what you reach by IPv4, but for this host itself.")
    private @Nullable Network network;

    @Option(
            names = {"-p", "--publish"},
            paramLabel = "[ADDR:][HOST:]GUEST[/udp]",
            description = "Publish a port or a range of the guest, on 127.0.0.1 without ADDR; HOST 0 or left out is any"
                    + " free port, see ps. Implies --network user.")
    private List<String> ports = new ArrayList<>();

    @Option(
            names = "--dns",
            paramLabel = "ADDR",
            description =
                    "Name server of the guest, outside this host (default: what this host asks). Implies --network"
                            + " user.")
    private @Nullable String nameServer;

    SandboxBuilder applyTo(SandboxBuilder builder) {
        if (network != null) {
            builder.network(network);
        }
        ports.forEach(builder::publish);
        if (nameServer != null) {
            builder.nameServer(address(nameServer));
        }
        return builder;
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new UsageError("'" + text + "' is no address.", "Give an IPv4 address in numbers, like 9.9.9.9.");
        }
    }
}
