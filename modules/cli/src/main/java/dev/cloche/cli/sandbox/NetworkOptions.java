package dev.cloche.cli.sandbox;

import dev.cloche.SandboxBuilder;
import dev.cloche.cli.option.PublishOptions;
import dev.cloche.cli.terminal.UsageError;
import java.net.InetAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The network of a sandbox that is about to be made. */
final class NetworkOptions {
    @Mixin
    private PublishOptions published = new PublishOptions();

    @Option(
            names = "--dns",
            paramLabel = "ADDR",
            description =
                    "Name server of the guest, outside this host (default: what this host asks). Implies --network"
                            + " user.")
    private @Nullable String nameServer;

    SandboxBuilder applyTo(SandboxBuilder builder) {
        published.applyTo(builder::network, builder::publish);
        if (nameServer != null) {
            builder.nameServer(address(nameServer));
        }
        return builder;
    }

    /** Publishes the ports alone. */
    void publish(Consumer<String> taker) {
        published.publish(taker);
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new UsageError("'" + text + "' is no address.", "Give an IPv4 address in numbers, like 9.9.9.9.");
        }
    }
}
