package dev.cloche.cli;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The image and the size of sandboxes, where nothing else of them matters. */
final class ShapeOptions {
    @Parameters(paramLabel = "IMAGE", description = "The image, as for cloche run.")
    private String image = "";

    @Mixin
    private SizeOptions size = new SizeOptions();

    String image() {
        return image;
    }

    int cpus() {
        return size.cpus();
    }

    /** In MiB. */
    int memory() {
        return size.memory();
    }
}
