package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.CommandBuilder;
import dev.cloche.DetachedCommand;
import dev.cloche.Execution;
import dev.cloche.RestoreBuilder;
import dev.cloche.Sandbox;
import dev.cloche.SandboxBuilder;
import dev.cloche.SandboxInfo;
import dev.cloche.cli.option.CommandSettings;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TerminalOptions;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.option.WaitForRoomOption;
import dev.cloche.cli.pool.MakerCommand;
import dev.cloche.cli.terminal.Attached;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.cli.terminal.SignalForwarding;
import dev.cloche.cli.terminal.StandardError;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.linux.Terminal;
import dev.cloche.sandbox.RestartPolicy;
import dev.cloche.vm.ExitStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "run",
        customSynopsis = {
            "cloche run [OPTIONS] IMAGE [--] [COMMAND...]",
            "cloche run [OPTIONS] --template NAME [--] COMMAND..."
        },
        description = {
            "Run a command from an image in a new microVM.",
            "",
            "The image is pulled if it is not on this host. The command replaces the image's own; the image's"
                    + " entrypoint, environment, user and working directory apply unless an option says otherwise."
                    + " Standard output and error are passed on as they are and kept apart. SIGINT, SIGTERM and SIGHUP"
                    + " go to the command; the third one ends the sandbox.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0 to 255: of the command in the guest; 128 + N if signal N ended it",
            "124: --timeout has passed",
            "125: Cloche failed, or was called in a wrong way",
            "126: the command cannot be executed",
            "127: the command was not found in the image"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche run base -- echo hello",
            "  cloche run --rm -i python:3.13 -- python3 - < script.py",
            "  cloche run --rm -it debian",
            "  cloche run -d --name web --memory 1g -p 8080:80 nginx",
            "  cloche run --template api -- curl -s localhost:8000",
        })
final class RunCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Option(
            names = {"-d", "--detach"},
            description =
                    "Start the command, print the sandbox's name and leave; the sandbox ends with the command. What it"
                            + " writes is kept for `cloche logs`; without --name only until it ends.")
    private boolean detach;

    @Option(
            names = "--template",
            paramLabel = "NAME",
            description =
                    "In place of an image: go on where a template of `cloche template make --as NAME` was left, or a"
                            + " snapshot was taken. With -d it takes no command.")
    private @Nullable String template;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "End the sandbox after this time, for example 30s or 5m; exit code 124.",
            converter = TimeSpan.class)
    private @Nullable Duration timeout;

    @Mixin
    private WaitForRoomOption waitForRoom = new WaitForRoomOption();

    @Option(
            names = {"-i", "--interactive"},
            description = "Pass standard input on to the command; without it the command reads from /dev/null.")
    private boolean interactive;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "json: print how the sandbox began, and how its command ended, as one line of JSON: the last one on"
                            + " standard error, so that standard output is the command's alone; with -d in place of the name.")
    private FormatOption.@Nullable Format format;

    @Mixin
    private TerminalOptions tty = new TerminalOptions();

    @Mixin
    private CommandSettings settings = new CommandSettings();

    @Mixin
    private ImageArguments arguments = new ImageArguments();

    @Override
    public Integer call() throws Exception {
        if (detach && interactive) {
            throw new UsageError(
                    "-i has no meaning with -d: no process is left to pass the input on.", "Leave out one.");
        }
        settings.check();
        if (template != null) {
            TemplateRun.check(spec.commandLine().getParseResult(), detach);
        }
        if (!detach && options.lifecycle().restart().kind() != RestartPolicy.Kind.NO) {
            throw new UsageError("--restart has a meaning only with -d.", "Add -d, or leave it out.");
        }
        Optional<Terminal> terminal = detach ? Optional.empty() : tty.terminal(interactive);
        try (SignalForwarding signals = new SignalForwarding()) {
            return signals.exitCode(() -> run(terminal, signals));
        }
    }

    private int run(Optional<Terminal> terminal, SignalForwarding signals) throws InterruptedException {
        return template == null ? runImage(terminal, signals) : runTemplate(template, terminal, signals);
    }

    private int runTemplate(String name, Optional<Terminal> terminal, SignalForwarding signals)
            throws InterruptedException {
        TemplateRun run = new TemplateRun(name, arguments.wordsWithoutImage(), interactive, settings, tty, format);
        try (Cloche cloche = Cloche.open()) {
            RestoreBuilder builder = options.applyTo(cloche.restore(name)).waitForRoom(waitForRoom.longest());
            return detach ? run.detached(builder, cloche) : run.attached(builder, terminal, signals);
        }
    }

    private int runImage(Optional<Terminal> terminal, SignalForwarding signals) throws InterruptedException {
        try (Cloche cloche = Cloche.open(MakerCommand.options());
                ProgressDisplay progress = ProgressDisplay.forTerminal(options.quiet())) {
            SandboxBuilder builder = settings.applyDefaultsTo(options.applyTo(cloche.sandbox(arguments.image())))
                    .command(arguments.words())
                    .progress(progress)
                    .waitForRoom(waitForRoom.longest());
            if (timeout != null) {
                builder.maxDuration(timeout);
            }
            return detach ? startDetached(cloche, builder) : runAttached(builder, progress, terminal, signals);
        }
    }

    private int startDetached(Cloche cloche, SandboxBuilder builder) {
        DetachedCommand main = builder.detached();
        SandboxInfo started = settings.applyLimitsTo(main).start();
        if (format == FormatOption.Format.json) {
            StartReport.print(cloche, started, System.out);
        } else {
            System.out.println(started.name());
        }
        return ExitCodes.OK;
    }

    private int runAttached(
            SandboxBuilder builder, ProgressDisplay progress, Optional<Terminal> terminal, SignalForwarding signals)
            throws InterruptedException {
        try (Sandbox sandbox = builder.start()) {
            progress.close();
            // With a terminal it may be detached from, and the sandbox then still ends with it.
            CommandBuilder main = terminal.isPresent() ? sandbox.finalCommand() : sandbox.mainCommand();
            CommandBuilder prepared = TerminalOptions.applyTo(main.stdin(interactive), terminal);
            // It ends with its sandbox, which is closed right after it and waits for nothing.
            try (Execution execution = settings.applyLimitsTo(prepared).start().leaveRunning()) {
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
