package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.ImageInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "load",
        description = "Take images out of an archive of docker save or cloche image save, or out of an OCI layout.")
public final class ImageLoadCommand implements Callable<Integer> {
    private static final Path STANDARD_INPUT = Path.of("/dev/stdin");

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What the image is called, for an archive that does not say or says otherwise.")
    private @Nullable String name;

    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress.")
    private boolean quiet;

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(
            paramLabel = "FILE",
            description = "Archive, plain or compressed by gzip or zstd; directory with an OCI layout; - for standard"
                    + " input.")
    private String file = "";

    @Override
    public Integer call() {
        Path archive = file.equals("-") ? STANDARD_INPUT : Path.of(file);
        try (Cloche cloche = Cloche.open()) {
            List<ImageInfo> images;
            try (ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                images = name == null
                        ? cloche.images().load(archive, progress)
                        : List.of(cloche.images().load(archive, name, progress));
            }
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.array(() -> images.forEach(image -> ImagesCommand.write(json, image))));
            } else {
                images.forEach(image -> System.out.println(image.reference()));
            }
        }
        return ExitCodes.OK;
    }
}
