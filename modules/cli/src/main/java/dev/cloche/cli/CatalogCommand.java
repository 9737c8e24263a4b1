package dev.cloche.cli;

import picocli.CommandLine.Command;

@Command(
        name = "catalog",
        description = "Check, copy, restore and migrate the records of this host.",
        synopsisSubcommandLabel = "COMMAND")
final class CatalogCommand extends CommandGroup {}
