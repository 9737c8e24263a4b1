package dev.cloche.cli.pool;

import dev.cloche.cli.terminal.CommandGroup;
import picocli.CommandLine.Command;

@Command(
        name = "template",
        description = "Look at, make and remove templates, from which sandboxes start without a boot.",
        synopsisSubcommandLabel = "COMMAND")
public final class TemplateCommand extends CommandGroup {}
