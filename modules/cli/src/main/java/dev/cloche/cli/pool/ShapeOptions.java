package dev.cloche.cli.pool;

import dev.cloche.cli.option.SizeOptions;
import dev.cloche.vm.Network;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The image and the size of sandboxes, where nothing else of them matters. */
final class ShapeOptions {
    @Parameters(index = "0", paramLabel = "IMAGE", description = "The image, as for cloche run.")
    private String image = "";

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--network",
            paramLabel = "NETWORK",
            description = "none (default) or user, as for cloche run; sandboxes that publish ports take from no pool.",
            defaultValue = "none")
    private Network network = Network.NONE;

    String image() {
        return image;
    }

    int cpus() {
        return size.cpus();
    }

    Network network() {
        return network;
    }

    /** Returns the memory in MiB. */
    int memory() {
        return size.memory();
    }
}
