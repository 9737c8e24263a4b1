package dev.cloche.cli.sandbox;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;

@Command(
        name = "snapshot",
        description = "Keep sandboxes as they are now, to restore them later or several times.",
        synopsisSubcommandLabel = "COMMAND")
final class SnapshotCommand extends CommandGroup {}
