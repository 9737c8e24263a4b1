package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.CommandBuilder;
import dev.cloche.Execution;
import dev.cloche.Machine;
import dev.cloche.cli.option.CommandSettings;
import dev.cloche.cli.option.TerminalOptions;
import dev.cloche.cli.terminal.Attached;
import dev.cloche.cli.terminal.DetachKeys;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.SignalForwarding;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.linux.Terminal;
import dev.cloche.vm.ExitStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "exec",
        customSynopsis = "cloche machine exec [OPTIONS] NAME [--] COMMAND...",
        description = {
            "Run a command in a running machine: as root, unless an option says otherwise, with the environment of its"
                    + " image and its own. SIGINT, SIGTERM and SIGHUP go to the command; the third one ends it.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche machine exec dev -- apt-get update", "  cloche machine exec -it dev sh"})
final class MachineExecCommand implements Callable<Integer> {
    @Option(
            names = {"-i", "--interactive"},
            description = "Pass standard input on to the command; without it the command reads from /dev/null.")
    private boolean interactive;

    @Mixin
    private TerminalOptions tty = new TerminalOptions();

    @Mixin
    private CommandSettings settings = new CommandSettings();

    @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
    private String name = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "The program and its arguments.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        String[] words = CommandSettings.words(command);
        if (words.length == 0) {
            throw new UsageError(
                    "No command is given.", "Give one after the machine: cloche machine exec " + name + " -- COMMAND");
        }
        Optional<Terminal> terminal = tty.terminal(interactive);
        return run(name, words, interactive, terminal, tty.keys(), settings);
    }

    /** Runs a command with the streams of this process. */
    static int run(
            String name,
            String[] words,
            boolean interactive,
            Optional<Terminal> terminal,
            DetachKeys keys,
            CommandSettings settings)
            throws Exception {
        try (SignalForwarding signals = new SignalForwarding()) {
            return signals.exitCode(() -> {
                try (Cloche cloche = Cloche.open();
                        Machine machine = cloche.machines().connect(name)) {
                    CommandBuilder builder =
                            TerminalOptions.applyTo(machine.command(words).stdin(interactive), terminal);
                    try (Execution execution = settings.applyTo(builder).start()) {
                        return Attached.pass(execution, terminal, interactive, keys, signals)
                                .map(ExitStatus::shellCode)
                                .orElse(ExitCodes.OK);
                    }
                }
            });
        }
    }
}
