package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.SandboxInfo;
import dev.cloche.cli.option.CommandSettings;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "create",
        customSynopsis = "cloche create [OPTIONS] IMAGE [--] [COMMAND...]",
        description = {
            "Make a sandbox with its image, without starting it, and print its name.",
            "",
            "`cloche start` then starts it detached, as `cloche run -d` would have.",
            ""
        })
final class CreateCommand implements Callable<Integer> {
    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Mixin
    private FormatOption format = new FormatOption();

    @Mixin
    private CommandSettings settings = new CommandSettings();

    @Mixin
    private ImageArguments arguments = new ImageArguments();

    @Override
    public Integer call() {
        settings.check();
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(options.quiet())) {
            SandboxInfo created = settings.applyLimitsTo(
                            settings.applyDefaultsTo(options.applyTo(cloche.sandbox(arguments.image())))
                                    .command(arguments.words())
                                    .progress(progress)
                                    .detached())
                    .create();
            if (format.json()) {
                JsonOutput.printLine(
                        System.out, json -> json.field("id", created.id()).field("name", created.name()));
            } else {
                System.out.println(created.name());
            }
        }
        return ExitCodes.OK;
    }
}
