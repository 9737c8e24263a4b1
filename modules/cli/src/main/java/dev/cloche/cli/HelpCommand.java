package dev.cloche.cli;

import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** picocli brings a help command, whose own {@code --help} collides with the one that all commands inherit. */
@Command(name = "help", description = "Show the help of a command.")
final class HelpCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..1", paramLabel = "COMMAND", description = "The command; without one, all are listed.")
    private @Nullable String name;

    @Override
    public Integer call() {
        CommandLine whole = spec.root().commandLine();
        if (name == null) {
            whole.usage(System.out);
            return ExitCodes.OK;
        }
        CommandLine command = whole.getSubcommands().get(name);
        if (command == null) {
            throw new ParameterException(spec.commandLine(), "There is no command \"" + name + "\".");
        }
        command.usage(System.out);
        return ExitCodes.OK;
    }
}
