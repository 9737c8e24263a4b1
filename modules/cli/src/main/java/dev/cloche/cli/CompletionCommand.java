package dev.cloche.cli;

import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "completion",
        description = "Print a completion script for bash and zsh.",
        footerHeading = "%nExample:%n",
        footer = "  source <(cloche completion)")
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        CommandLine whole = spec.root().commandLine();
        System.out.print(AutoComplete.bash(spec.root().name(), whole));
        return ExitCodes.OK;
    }
}
