package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.TemplateInfo;
import java.util.Optional;
import java.util.concurrent.Callable;
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
final class TemplateMakeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "IMAGE", description = "The image, as for cloche run.")
    private String image = "";

    @Mixin
    private SizeOptions size = new SizeOptions();

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
            return cloche.templates().make(image, size.memory(), size.cpus(), progress);
        }
    }
}
