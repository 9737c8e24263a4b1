package dev.cloche.cli.machine;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;

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
public final class MachineCommand extends CommandGroup {}
