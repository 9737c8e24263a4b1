package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.CommandBuilder;
import dev.cloche.Execution;
import dev.cloche.Sandbox;
import dev.cloche.cli.option.CommandSettings;
import dev.cloche.cli.option.TerminalOptions;
import dev.cloche.cli.terminal.Attached;
import dev.cloche.cli.terminal.CommandNotStarted;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.SignalForwarding;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.linux.Terminal;
import dev.cloche.process.ProcessView;
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
        customSynopsis = "cloche exec [OPTIONS] SANDBOX [--] COMMAND...",
        description = {
            "Run a further command in a running sandbox, of this or any other process.",
            "",
            "The image's environment, user and working directory apply unless an option says otherwise; its entrypoint"
                    + " does not. SIGINT, SIGTERM and SIGHUP go to the command; the third one ends it.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0 to 255: of the command in the guest; 128 + N if signal N ended it; 0 if it runs detached",
            "125: Cloche failed, or was called in a wrong way",
            "126: the command cannot be executed",
            "127: the command was not found in the image"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche exec web -- ps aux",
            "  cloche exec -it web sh",
            "  cloche exec -i -u postgres db -- psql < dump.sql"
        })
final class ExecCommand implements Callable<Integer> {
    @Option(
            names = {"-i", "--interactive"},
            description = "Pass standard input on to the command; without it the command reads from /dev/null.")
    private boolean interactive;

    @Option(
            names = {"-d", "--detach"},
            description = "Return when it runs, and print the id of its process: see `cloche process`. It outlives this"
                    + " program, without a standard input and a terminal.")
    private boolean detach;

    @Mixin
    private TerminalOptions tty = new TerminalOptions();

    @Mixin
    private CommandSettings settings = new CommandSettings();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "The program and its arguments.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        settings.check();
        String[] words = CommandSettings.words(command);
        if (words.length == 0) {
            throw new UsageError(
                    "No command is given.", "Give one after the sandbox: cloche exec " + name + " -- COMMAND");
        }
        if (detach) {
            return startDetached(words);
        }
        try (SignalForwarding signals = new SignalForwarding()) {
            return signals.exitCode(() -> execute(words, signals));
        }
    }

    private int startDetached(String[] words) {
        if (interactive || tty.wanted()) {
            throw new UsageError(
                    "A detached command has neither a standard input nor a terminal.", "Leave out -i and -t, or -d.");
        }
        try (Cloche cloche = Cloche.open()) {
            ProcessView process =
                    settings.applyTo(cloche.processes().command(name, words)).start();
            System.out.println(process.id());
            process.failure().ifPresent(failure -> {
                throw new CommandNotStarted(process.id(), failure);
            });
        }
        return ExitCodes.OK;
    }

    private int execute(String[] words, SignalForwarding signals) throws InterruptedException {
        Optional<Terminal> terminal = tty.terminal(interactive);
        try (Cloche cloche = Cloche.open();
                Sandbox sandbox = cloche.connect(name)) {
            CommandBuilder builder =
                    TerminalOptions.applyTo(sandbox.command(words).stdin(interactive), terminal);
            try (Execution execution = settings.applyTo(builder).start()) {
                return Attached.pass(execution, terminal, interactive, tty.keys(), signals)
                        .map(ExitStatus::shellCode)
                        .orElse(ExitCodes.OK);
            }
        }
    }
}
