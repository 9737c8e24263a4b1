package dev.cloche.cli.host;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;

@Command(
        name = "catalog",
        description = "Check, copy, restore and migrate the records of this host.",
        synopsisSubcommandLabel = "COMMAND")
public final class CatalogCommand extends CommandGroup {}
