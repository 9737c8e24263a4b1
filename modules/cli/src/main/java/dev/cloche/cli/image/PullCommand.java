package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.image.LocalImage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "pull", description = "Fetch an image from its registry and make it ready to boot; prints its digest.")
public final class PullCommand implements Callable<Integer> {
    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress.")
    private boolean quiet;

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(paramLabel = "IMAGE", description = "The image, as in Docker: debian, ghcr.io/x/y:tag, …")
    private String image = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            LocalImage pulled;
            try (ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                pulled = cloche.images().pull(image, progress);
            }
            if (format.json()) {
                JsonOutput.print(System.out, json -> ImagesCommand.write(json, pulled));
            } else {
                System.out.println(pulled.summary().manifest());
            }
        }
        return ExitCodes.OK;
    }
}
