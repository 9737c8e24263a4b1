package dev.cloche.cli;

import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The image and the size of sandboxes, where nothing else of them matters. */
final class ShapeOptions {
    @Parameters(paramLabel = "IMAGE", description = "The image, as for cloche run.")
    private String image = "";

    @Option(
            names = "--cpus",
            paramLabel = "N",
            description = "Virtual CPUs of the guest (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int cpus = 1;

    @Option(
            names = {"-m", "--memory"},
            paramLabel = "SIZE",
            description = "Memory of the guest, for example 512m or 2g (default: ${DEFAULT-VALUE}).",
            defaultValue = "512m",
            converter = MemorySize.class)
    private int memory;

    String image() {
        return image;
    }

    int cpus() {
        return cpus;
    }

    int memory() {
        return memory;
    }
}
