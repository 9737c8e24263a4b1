package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.CommandBuilder;
import dev.cloche.Execution;
import dev.cloche.RestoreBuilder;
import dev.cloche.Sandbox;
import dev.cloche.SandboxInfo;
import dev.cloche.cli.option.CommandSettings;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TerminalOptions;
import dev.cloche.cli.terminal.Attached;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.SignalForwarding;
import dev.cloche.cli.terminal.StandardError;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.linux.Terminal;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.ExitStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Runs a command in a sandbox of a prepared template, or of a snapshot. */
record TemplateRun(
        String template,
        List<String> words,
        boolean interactive,
        CommandSettings settings,
        TerminalOptions tty,
        FormatOption.@Nullable Format format) {
    /** What a sandbox of a template can be given; all else it has from the template. */
    private static final Set<String> FITTING = Set.of(
            "--template",
            "--name",
            "--rm",
            "--secret",
            "--publish",
            "--env",
            "--workdir",
            "--user",
            "--ulimit",
            "--interactive",
            "--tty",
            "--detach",
            "--detach-keys",
            "--format",
            "--quiet",
            "--wait-for-room");

    /** What is a command's, and a detached sandbox has none. */
    private static final Set<String> OF_A_COMMAND = Set.of("--env", "--workdir", "--user", "--ulimit");

    /** Refuses options that would do nothing. */
    static void check(ParseResult given, boolean detached) {
        first(given, name -> !FITTING.contains(name)).ifPresent(name -> {
            throw new UsageError(
                    name + " has no meaning with --template.",
                    "A sandbox of a template is as that was made: leave it out, or make another template.");
        });
        first(given, name -> detached && OF_A_COMMAND.contains(name)).ifPresent(name -> {
            throw new UsageError(
                    name + " has no meaning with --template and -d, which runs no command.",
                    "Leave it out, and give it to cloche exec.");
        });
    }

    private static Optional<String> first(ParseResult given, Predicate<String> which) {
        return given.matchedOptionsSet().stream()
                .map(OptionSpec::longestName)
                .filter(which)
                .sorted()
                .findFirst();
    }

    /** Makes a sandbox; of one that is not ready, what its command wrote is printed first. */
    static <T> T told(Supplier<T> start) {
        try {
            return start.get();
        } catch (SandboxException.PreparationFailed failed) {
            System.err.print(failed.output());
            throw failed;
        }
    }

    int detached(RestoreBuilder builder, Cloche cloche) {
        if (!words.isEmpty()) {
            throw new UsageError(
                    "A detached sandbox of a template runs what was started in that, and no other command.",
                    "Leave the command out, and run it with cloche exec.");
        }
        SandboxInfo started = told(builder::startDetached);
        if (format == FormatOption.Format.json) {
            StartReport.print(cloche, started, System.out);
        } else {
            System.out.println(started.name());
        }
        return ExitCodes.OK;
    }

    int attached(RestoreBuilder builder, Optional<Terminal> terminal, SignalForwarding signals)
            throws InterruptedException {
        if (words.isEmpty()) {
            throw new UsageError(
                    "A sandbox of a template has no command of its own.",
                    "Say what to run in it, as in: cloche run --template " + template + " -- COMMAND");
        }
        try (Sandbox sandbox = told(builder::start)) {
            CommandBuilder main = settings.applyTo(sandbox.command(words.toArray(String[]::new)));
            CommandBuilder prepared = TerminalOptions.applyTo(main.stdin(interactive), terminal);
            // It ends with its sandbox, which is closed right after it and waits for nothing.
            try (Execution execution = prepared.start().leaveRunning()) {
                Optional<ExitStatus> exit = Attached.pass(execution, terminal, interactive, tty.keys(), signals);
                if (exit.isEmpty()) {
                    sandbox.detach();
                    System.err.println("\r\ncloche: " + sandbox.name() + " goes on; it can be used by: cloche exec -it "
                            + sandbox.name() + " sh");
                    return ExitCodes.OK;
                }
                sandbox.finishWith(execution);
                if (format == FormatOption.Format.json) {
                    StandardError.shared().beginLine();
                    StartReport.print(sandbox, exit.get(), System.err);
                }
                return exit.get().shellCode();
            }
        }
    }
}
