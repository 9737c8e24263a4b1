package dev.cloche.cli.host;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;

@Command(
        name = "system",
        description = "Show what Cloche takes of this host, and take less.",
        synopsisSubcommandLabel = "COMMAND")
public final class SystemCommand extends CommandGroup {}
