package dev.cloche.cli;

import picocli.CommandLine.Command;

@Command(
        name = "process",
        description = "Look at the durable records of work on this host, and care for them.",
        synopsisSubcommandLabel = "COMMAND")
final class ProcessCommand extends CommandGroup {}
