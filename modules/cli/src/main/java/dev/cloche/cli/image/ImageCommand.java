package dev.cloche.cli.image;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;

@Command(name = "image", description = "Look at, bring, keep and remove images.", synopsisSubcommandLabel = "COMMAND")
public final class ImageCommand extends CommandGroup {}
