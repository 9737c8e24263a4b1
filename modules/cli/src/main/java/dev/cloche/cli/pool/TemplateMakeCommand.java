package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.Network;
import dev.cloche.TemplateInfo;
import dev.cloche.cli.option.MemorySize;
import dev.cloche.cli.option.SizeOptions;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "make",
        description = {
            "Make the template of an image and a size, unless there is one, and print its name.",
            "",
            "This happens by itself after the first run of an image in a size."
        })
public final class TemplateMakeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "IMAGE", description = "The image, as for cloche run.")
    private String image = "";

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--network",
            paramLabel = "NAME",
            description = "Of sandboxes with this network: none or user (default: ${DEFAULT-VALUE}).",
            defaultValue = "none")
    private Network network = Network.NONE;

    @Option(
            names = "--disk",
            paramLabel = "SIZE",
            description = "Of ephemeral sandboxes with a disk of this size.",
            converter = MemorySize.class)
    private @Nullable Integer disk;

    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress of a pull.")
    private boolean quiet;

    @Override
    public Integer call() {
        made().ifPresentOrElse(
                        template -> System.out.println(template.name()),
                        () -> System.err.println("cloche: another process makes it just now"));
        return ExitCodes.OK;
    }

    private Optional<TemplateInfo> made() {
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
            OptionalInt own = disk == null || disk == 0 ? OptionalInt.empty() : OptionalInt.of(disk);
            return cloche.templates().make(image, size.memory(), size.cpus(), network, own, progress);
        }
    }
}
