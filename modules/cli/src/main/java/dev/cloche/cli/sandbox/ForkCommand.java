package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.ForkBuilder;
import dev.cloche.SandboxInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ErrorReport;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.sandbox.ForkOutcome;
import dev.cloche.sandbox.Forked;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "fork",
        customSynopsis = "cloche fork [OPTIONS] SANDBOX [N]",
        description = {
            "Make children of a running sandbox, detached, that begin where it is now; print their names.",
            "",
            "The sandbox is halted for a moment and goes on. Each child has a copy of its memory and disk, and an identity"
                    + " and a network of its own. Nothing of the parent runs in it unless --keep-running is given, it has"
                    + " none of its secrets unless --keep-secrets is, and no port is published. A child ends when it is stopped.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche fork web 3", "  cloche fork --name try --format json web"})
final class ForkCommand implements Callable<Integer> {
    @Mixin
    private ChildOptions options = new ChildOptions();

    @Mixin
    private FormatOption format = new FormatOption();

    @Option(
            names = "--each",
            description =
                    "Keep the children that come up where others do not, and say of each other why; exit code 1 if there"
                            + " is one.")
    private boolean each;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the parent.")
    private String parent = "";

    @Parameters(
            index = "1",
            paramLabel = "N",
            description = "How many children, 1 to 100 (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int count = 1;

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            ForkBuilder builder = cloche.fork(parent)
                    .keepRunning(options.keepRunning())
                    .keepSecrets(options.keepSecrets())
                    .waitForRoom(options.waitForRoom());
            options.secrets().give(builder::secret);
            String name = options.name();
            if (name != null) {
                builder.name(name).ephemeral(options.ephemeral());
            }
            return print(
                    each
                            ? builder.startEachDetached(count)
                            : builder.startDetached(count).with(ForkOutcome.Started::new));
        }
    }

    private int print(Forked<ForkOutcome<SandboxInfo>> fork) {
        List<String> names = fork.children().stream()
                .flatMap(outcome -> outcome.started().stream())
                .map(SandboxInfo::name)
                .toList();
        List<ForkOutcome.Failed<SandboxInfo>> failures = fork.children().stream()
                .flatMap(outcome -> outcome.failed().stream())
                .toList();
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.object(() -> json.field("parent", parent)
                            .field("children", names)
                            .field("pauseMillis", fork.pause().toMillis())
                            .field("totalMillis", fork.total().toMillis())));
        } else {
            names.forEach(System.out::println);
        }
        failures.forEach(failure -> ErrorReport.print(failure.sentence(), failure.remedy(), System.err));
        return failures.isEmpty() ? ExitCodes.OK : ExitCodes.FAILURE;
    }
}
