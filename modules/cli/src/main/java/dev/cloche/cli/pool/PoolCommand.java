package dev.cloche.cli.pool;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;

@Command(
        name = "pool",
        description = "Keep warm VMs, from which sandboxes start without a wait.",
        synopsisSubcommandLabel = "COMMAND")
public final class PoolCommand extends CommandGroup {}
