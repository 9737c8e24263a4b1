package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.option.CommandSettings;
import dev.cloche.cli.terminal.DetachKeys;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.linux.Terminal;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "shell",
        description = {
            "Open a shell in a machine, starting the machine first if it does not run.",
            "",
            "Without a name, in the default machine.",
            ""
        })
final class MachineShellCommand implements Callable<Integer> {
    /** bash where there is one, as a login shell. */
    private static final String[] SHELL = {
        "sh", "-c", "if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi"
    };

    @Option(
            names = {"-T", "--no-tty"},
            description = "Without a terminal: commands come from standard input.")
    private boolean plain;

    @Mixin
    private CommandSettings settings = new CommandSettings();

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "The machine.")
    private @Nullable String name;

    @Override
    public Integer call() throws Exception {
        Optional<Terminal> terminal = plain ? Optional.empty() : Terminal.of(0);
        if (!plain && terminal.isEmpty()) {
            throw new UsageError(
                    "A shell needs a terminal, and standard input is none.", "Give -T to read commands from it.");
        }
        String machine = started();
        return MachineExecCommand.run(machine, SHELL, true, terminal, DetachKeys.parse("ctrl-p,ctrl-q"), settings);
    }

    private String started() {
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(false)) {
            String machine = name != null ? name : MachineDefaultCommand.required(cloche.machines());
            cloche.machines().start(machine, progress).close();
            return machine;
        }
    }
}
