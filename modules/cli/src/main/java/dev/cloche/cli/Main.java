package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.base.ClocheException;
import dev.cloche.cli.terminal.ErrorReport;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.StandardOutput;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The way in from a shell. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        if (Commands.opensTheStateRoot(arguments)) {
            // While picocli reads annotations on one core, SQLite and native calls are made ready on the other.
            Cloche.prepare();
        }
        StandardOutput output = StandardOutput.install();
        int exitCode = output.checked(execute(arguments));
        System.err.flush();
        System.exit(exitCode);
    }

    static int execute(String... arguments) {
        return commandLine(arguments).execute(arguments);
    }

    /**
     * The program's grammar, as far as these arguments need it: picocli reads each command's annotations by reflection,
     * so describing all commands to run one would cost more than most commands do.
     */
    static CommandLine commandLine(String... arguments) {
        CommandLine line = new CommandLine(new ClocheCommand());
        Set<String> needed = Commands.neededFor(arguments);
        Commands.ALL.forEach((name, command) -> {
            if (needed.contains(name)) {
                CommandLine added = new CommandLine(command.get());
                Commands.GROUPS
                        .getOrDefault(name, Map.of())
                        .forEach((inner, member) ->
                                added.addSubcommand(inner, new CommandLine(member.get()).setCommandName(inner)));
                line.addSubcommand(name, added);
            }
        });
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler(Main::failed);
        line.setParameterExceptionHandler(Main::misused);
        // Everything after the image or sandbox belongs to the guest's command, also what looks like an option.
        line.getSubcommands().forEach((name, command) -> {
            stopAtGuestsCommand(name, command);
            command.getSubcommands().forEach(Main::stopAtGuestsCommand);
        });
        return line;
    }

    private static void stopAtGuestsCommand(String name, CommandLine command) {
        if (Commands.RUNS_A_COMMAND.contains(name)) {
            command.setStopAtPositional(true);
        }
    }

    private static int failed(Exception failure, CommandLine command, ParseResult parsed) {
        if (failure instanceof ClocheException known) {
            ErrorReport.print(known, System.err);
            return exitCode(known, command.getCommandSpec());
        }
        if (failure instanceof InterruptedException) {
            return ExitCodes.INTERRUPTED;
        }
        ErrorReport.printFault(failure, System.err);
        return general(command.getCommandSpec(), ExitCodes.FAILURE);
    }

    private static int misused(ParameterException misuse, String[] arguments) {
        CommandSpec command = misuse.getCommandLine().getCommandSpec();
        ErrorReport.print(
                String.valueOf(misuse.getMessage()),
                command.parent() == null ? "See: cloche help" : "See: " + command.qualifiedName() + " --help",
                System.err);
        return general(command, ExitCodes.USAGE);
    }

    private static int exitCode(ClocheException failure, CommandSpec command) {
        return switch (failure.code()) {
            case "sandbox.ended.max-duration-exceeded", "vm.limit" -> ExitCodes.TIMED_OUT;
            case "vm.interrupted", "sandbox.interrupted" -> ExitCodes.INTERRUPTED;
            case "cli.usage" -> general(command, ExitCodes.USAGE);
            default -> ExitCodes.ofStart(failure.code(), general(command, ExitCodes.FAILURE));
        };
    }

    private static int general(CommandSpec command, int otherwise) {
        return Commands.ENDS_AS_A_COMMAND.contains(command.name()) ? ExitCodes.CLOCHE_FAILED : otherwise;
    }
}
