package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "save",
        description = {
            "Write images into one archive, an OCI layout that Docker loads too.",
            "Layers that were pulled are fetched from their registry again, byte for byte."
        })
public final class ImageSaveCommand implements Callable<Integer> {
    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "The archive; it must not exist yet.")
    private Path output = Path.of("");

    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress.")
    private boolean quiet;

    @Parameters(arity = "1..*", paramLabel = "IMAGE", description = "Images on this host.")
    private List<String> images = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
            cloche.images().save(images, output, progress);
        }
        return ExitCodes.OK;
    }
}
