package dev.cloche.cli.process;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;

@Command(
        name = "process",
        description = "Look at the durable records of work on this host, and care for them.",
        synopsisSubcommandLabel = "COMMAND")
public final class ProcessCommand extends CommandGroup {}
