package dev.cloche.cli.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.SizeOptions;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.pool.MakerCommand;
import dev.cloche.cli.terminal.CellSignals;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.interpreter.Cell;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.Interpreter;
import dev.cloche.interpreter.Language;
import dev.cloche.linux.Terminal;
import dev.cloche.vm.VmException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "repl",
        customSynopsis = "cloche repl [OPTIONS] [FILE]",
        description = {
            "Run code in an interpreter in a sandbox: line by line from a terminal, else all of FILE or of standard input.",
            "",
            "The image is to have the program of the language: python3, node, the java of a JDK or sh. The value of the last expression is printed. Ctrl-C"
                    + " interrupts the code that runs, Ctrl-D ends the session.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0: the code ran to its end, or a session on a terminal ended",
            "1: the code threw an error or, of a shell, had another exit status than 0; or Cloche failed",
            "124: --timeout has passed",
            "130: the code was interrupted"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche repl --image python:3.13-slim",
            "  cloche repl --image notebook --import pandas --import matplotlib.pyplot",
            "  cloche repl --sandbox dev analysis.py",
            "  cloche repl --language shell --sandbox dev",
            "  echo '6 * 7' | cloche repl --image python:3.13-slim"
        })
final class ReplCommand implements Callable<Integer> {
    private static final int STDIN = 0;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--language",
            paramLabel = "LANGUAGE",
            description = "What the code is written in: python, javascript, java or shell (default: ${DEFAULT-VALUE}).",
            defaultValue = "python")
    private String language = "python";

    @Option(
            names = "--image",
            paramLabel = "IMAGE",
            description = "The image of the sandbox (default: what config.toml names below [interpreter]).")
    private @Nullable String image;

    @Option(
            names = "--sandbox",
            paramLabel = "SANDBOX",
            description = "Use this running sandbox in place of one of its own.")
    private @Nullable String sandbox;

    @Option(
            names = "--import",
            paramLabel = "MODULE",
            description =
                    "Have this module of Python imported once, for all sandboxes of the same image and size; may be given again.")
    private List<String> imports = new ArrayList<>();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "Interrupt code after this time, for example 30s or 5m; exit code 124.",
            converter = TimeSpan.class)
    private @Nullable Duration timeout;

    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress of a pull.")
    private boolean quiet;

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Parameters(index = "0", arity = "0..1", paramLabel = "FILE", description = "Code to run at once, as one cell.")
    private @Nullable Path file;

    private final CellPrinter printer = new CellPrinter();

    @Override
    public Integer call() throws IOException {
        Language spoken = EnumNames.find(Language.class, language)
                .orElseThrow(() -> new UsageError(
                        "There is no language '" + language + "' here.",
                        "Give one of: "
                                + Stream.of(Language.values())
                                        .map(EnumNames::of)
                                        .collect(Collectors.joining(", ")) + "."));
        if (sandbox != null && image != null) {
            throw new UsageError("--image is of a new sandbox, and --sandbox one that runs.", "Leave out one.");
        }
        if (sandbox != null) {
            requireNone(List.of("--import", "--memory", "--cpus", "--network", "--publish", "--dns"));
        }
        boolean prompts = file == null && Terminal.of(STDIN).isPresent();
        String code = prompts ? "" : code();
        try (Cloche cloche = Cloche.open(MakerCommand.options())) {
            if (sandbox == null) {
                try (Interpreter interpreter = started(cloche, spoken)) {
                    return work(interpreter, prompts, code);
                }
            }
            try (Sandbox running = cloche.connect(sandbox);
                    Interpreter interpreter = running.interpreter(spoken)) {
                return work(interpreter, prompts, code);
            }
        }
    }

    private void requireNone(List<String> ofNewSandboxes) {
        for (String option : ofNewSandboxes) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new UsageError(option + " is of a new sandbox, and --sandbox one that runs.", "Leave out one.");
            }
        }
    }

    private String code() throws IOException {
        if (file == null) {
            return new String(System.in.readAllBytes(), UTF_8);
        }
        if (!Files.isRegularFile(file)) {
            throw new UsageError(
                    "'" + file + "' is no file.", "Give a file of code, or none to write it at the prompt.");
        }
        return Files.readString(file);
    }

    private Interpreter started(Cloche cloche, Language spoken) {
        try (ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
            Cloche.InterpreterBuilder builder = cloche.interpreter(spoken)
                    .sandbox(own -> network.applyTo(own.cpus(size.cpus()).memoryMib(size.memory()))
                            .progress(progress));
            return (image == null ? builder : builder.image(image))
                    .imports(imports.toArray(String[]::new))
                    .start();
        }
    }

    private int work(Interpreter interpreter, boolean prompts, String code) throws IOException {
        Prompt prompt = new Prompt(interpreter, !prompts);
        try (CellSignals signals = new CellSignals(prompt::interrupt)) {
            try {
                return prompts ? prompt.session(signals) : exitCode(run(interpreter, code));
            } catch (VmException.Interrupted stopped) {
                if (signals.exitCode() == ExitCodes.OK) {
                    throw stopped;
                }
                return signals.exitCode();
            }
        }
    }

    private CellResult run(Interpreter interpreter, String code) {
        Cell cell = interpreter.cell(code).listener(printer);
        CellResult result = (timeout == null ? cell : cell.timeout(timeout)).run();
        printer.end(result);
        return result;
    }

    private static int exitCode(CellResult result) {
        return switch (result.outcome()) {
            case COMPLETED -> ExitCodes.OK;
            case FAILED, CONTEXT_ENDED -> ExitCodes.FAILURE;
            case INTERRUPTED -> ExitCodes.INTERRUPTED;
            case TIMED_OUT -> ExitCodes.TIMED_OUT;
        };
    }

    /** Reads code from a terminal, line by line until it is whole, and runs it. */
    private final class Prompt {
        private static final String FIRST = ">>> ";
        private static final String FURTHER = "... ";

        private final Interpreter interpreter;
        private volatile boolean running;
        private volatile boolean dropped;

        private Prompt(Interpreter interpreter, boolean running) {
            this.interpreter = interpreter;
            this.running = running;
        }

        /** Interrupts the code that runs, or has the lines that are written so far forgotten. */
        private void interrupt() {
            if (running) {
                interpreter.interrupt();
            } else {
                dropped = true;
                System.err.print("\n" + FIRST);
            }
        }

        private int session(CellSignals signals) throws IOException {
            System.err.println(Stream.of(interpreter.language().title(), interpreter.version(), "in a sandbox")
                    .filter(word -> !word.isEmpty())
                    .collect(Collectors.joining(" ")));
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
            StringBuilder code = new StringBuilder();
            System.err.print(FIRST);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                signals.next();
                if (dropped) {
                    dropped = false;
                    code.setLength(0);
                }
                code.append(line).append('\n');
                if (isWhole(code.toString())) {
                    running = true;
                    var _ = run(interpreter, code.toString());
                    running = false;
                    code.setLength(0);
                }
                System.err.print(code.isEmpty() ? FIRST : FURTHER);
            }
            System.err.println();
            return ExitCodes.OK;
        }

        private boolean isWhole(String code) {
            return code.isBlank() || interpreter.isComplete(code.substring(0, code.length() - 1));
        }
    }
}
