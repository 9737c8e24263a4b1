package dev.cloche.cli;

import picocli.CommandLine.Command;

@Command(
        name = "pool",
        description = "Keep warm VMs, from which sandboxes start without a wait.",
        synopsisSubcommandLabel = "COMMAND")
final class PoolCommand extends CommandGroup {}
