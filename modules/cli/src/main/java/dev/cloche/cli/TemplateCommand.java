package dev.cloche.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "template",
        description = "Look at, make and remove templates, from which sandboxes start without a boot.",
        synopsisSubcommandLabel = "COMMAND")
final class TemplateCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Without a command there is only the help to show. */
    @Override
    public Integer call() {
        spec.commandLine().usage(System.out);
        return ExitCodes.OK;
    }
}
