package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.Each;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "rm",
        description = {
            "Remove names of images; with its last name goes the image.",
            "A digest stands for the only name of its image, and with -f for all of them."
        })
public final class ImageRmCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--force"},
            description = "Also those in use: the image then goes with the last sandbox that uses it.")
    private boolean force;

    @Parameters(
            arity = "1..*",
            paramLabel = "IMAGE",
            description = "Images on this host: names, or digests (sha256:…) or their beginnings.")
    private List<String> images = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(images, image -> cloche.images().remove(image, force));
        }
    }
}
