package dev.cloche.cli;

import picocli.CommandLine.Command;

@Command(name = "image", description = "Look at, bring, keep and remove images.", synopsisSubcommandLabel = "COMMAND")
final class ImageCommand extends CommandGroup {}
