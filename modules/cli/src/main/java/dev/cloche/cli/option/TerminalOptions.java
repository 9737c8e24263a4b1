package dev.cloche.cli.option;

import dev.cloche.CommandBuilder;
import dev.cloche.cli.terminal.DetachKeys;
import dev.cloche.cli.terminal.TerminalSession;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.linux.Terminal;
import dev.cloche.linux.WindowSize;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options by which {@code run} and {@code exec} give a command a terminal. */
public final class TerminalOptions {
    private static final int STDIN = 0;
    private static final int STDOUT = 1;

    @Option(
            names = {"-t", "--tty"},
            description =
                    "Give the command a terminal, which stands for the one here. With -i for interactive programs.")
    private boolean tty;

    @Option(
            names = "--detach-keys",
            paramLabel = "KEYS",
            description = "What to type to leave the command running (default: ${DEFAULT-VALUE}).",
            defaultValue = "ctrl-p,ctrl-q",
            converter = Keys.class)
    private DetachKeys keys = DetachKeys.parse("ctrl-p,ctrl-q");

    /** Reads {@code --detach-keys}. */
    static final class Keys implements ITypeConverter<DetachKeys> {
        @Override
        public DetachKeys convert(String text) {
            try {
                return DetachKeys.parse(text);
            } catch (IllegalArgumentException noKeys) {
                throw new TypeConversionException(noKeys.getMessage());
            }
        }
    }

    public boolean wanted() {
        return tty;
    }

    public DetachKeys keys() {
        return keys;
    }

    /**
     * Returns the terminal of this process, if one was asked for.
     *
     * @throws UsageError if there is none
     */
    public Optional<Terminal> terminal(boolean interactive) {
        if (!tty) {
            return Optional.empty();
        }
        Optional<Terminal> here = Terminal.of(interactive ? STDIN : STDOUT).or(() -> Terminal.of(STDOUT));
        if (here.isEmpty() || (interactive && Terminal.of(STDIN).isEmpty())) {
            throw new UsageError(
                    "-t needs a terminal, and standard " + (interactive ? "input" : "output") + " is none.",
                    "Leave out -t where a script or a pipe is at the other end.");
        }
        return here;
    }

    /** Gives the command a terminal like the one here. */
    public static CommandBuilder applyTo(CommandBuilder command, Optional<Terminal> terminal) {
        if (terminal.isPresent()) {
            WindowSize size = TerminalSession.size(terminal.get());
            return command.terminal(size.rows(), size.columns());
        }
        return command;
    }
}
