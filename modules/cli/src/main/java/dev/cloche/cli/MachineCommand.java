package dev.cloche.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "machine",
        description = {
            "Long-lived machines, each with a name, a disk and a configuration file of its own.",
            "",
            "A machine outlives the program that starts it, and its disk outlives the machine's stop.",
            ""
        },
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche machine create dev --image debian --memory 4g --disk 50",
            "  cloche machine start dev",
            "  cloche machine shell dev",
            "  cloche machine edit dev      its configuration, with $EDITOR"
        })
final class MachineCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Without a command there is only the help to show. */
    @Override
    public Integer call() {
        spec.commandLine().usage(System.out);
        return ExitCodes.OK;
    }
}
