package dev.cloche.cli.option;

import dev.cloche.vm.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The network of a sandbox or machine that is about to be made, and its ports that others reach. */
public final class PublishOptions {
    @Option(
            names = "--network",
            paramLabel = "NETWORK",
            description = "none: no network device (default); user: what you reach by IPv4, but for this host itself.")
    private @Nullable Network network;

    @Option(
            names = {"-p", "--publish"},
            paramLabel = "[ADDR:][HOST:]GUEST[/udp]",
            description = "Publish a port or a range of the guest, on 127.0.0.1 without ADDR; HOST 0 or left out is any"
                    + " free port, see ps. A port of TCP needs no network; one of UDP needs --network user.")
    private List<String> ports = new ArrayList<>();

    public void applyTo(Consumer<Network> networks, Consumer<String> publish) {
        if (network != null) {
            networks.accept(network);
        }
        publish(publish);
    }

    /** Publishes the ports alone. */
    public void publish(Consumer<String> publish) {
        ports.forEach(publish);
    }
}
