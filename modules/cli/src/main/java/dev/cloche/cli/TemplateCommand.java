package dev.cloche.cli;

import picocli.CommandLine.Command;

@Command(
        name = "template",
        description = "Look at, make and remove templates, from which sandboxes start without a boot.",
        synopsisSubcommandLabel = "COMMAND")
final class TemplateCommand extends CommandGroup {}
