package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.ProcessLog;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.LogOptions;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Quantity;
import dev.cloche.cli.terminal.Table;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.ProcessView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands of {@code cloche process}: those of a few lines here, the others in files of their own. */
public final class ProcessCommands {
    private ProcessCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("ls", ProcessLsCommand::new);
        all.put("inspect", Inspect::new);
        all.put("events", ProcessEventsCommand::new);
        all.put("await", Await::new);
        all.put("logs", Logs::new);
        all.put("cancel", Cancel::new);
        all.put("prune", Prune::new);
        return all;
    }

    @Command(name = "inspect", description = "Print everything that is known of a process but its events.")
    private static final class Inspect implements Callable<Integer> {
        @Mixin
        private FormatOption format = new FormatOption();

        @Parameters(paramLabel = "PROCESS", description = "Id of the process.")
        private String id = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                ProcessView process = NoSuchProcess.orThrow(cloche.processes().find(id), id);
                if (format.json()) {
                    JsonOutput.print(System.out, json -> json.object(() -> ProcessLsCommand.fields(json, process)));
                } else {
                    print(process);
                }
            }
            return ExitCodes.OK;
        }

        private static void print(ProcessView process) {
            Table table = new Table("PROPERTY", "VALUE");
            table.row("id", process.id());
            table.row("status", EnumNames.of(process.status()));
            process.output()
                    .ifPresent(output -> table.row("output", output.json().text()));
            ProcessRegistration registration = process.process().registration();
            table.row(
                    "input",
                    registration.input().type() + " " + registration.input().payload());
            table.row("session", ProcessLsCommand.session(process));
            table.row(
                    "recovery",
                    ProcessLsCommand.name(registration.recovery())
                            + (registration.leaseRequired() ? ", ends with its lease only" : ""));
            String waitsFor = ProcessLsCommand.waitsFor(process);
            if (!waitsFor.isEmpty()) {
                table.row("waits for", waitsFor);
            }
            process.holder()
                    .ifPresent(holder -> table.row(
                            "lease", holder.owner() + " since " + holder.since() + ", until " + holder.until()));
            process.returnedFor().ifPresent(why -> table.row("returned for", why));
            process.lostOwner().ifPresent(owner -> table.row("lost owner", owner));
            table.row("attempts", Integer.toString(process.process().attempts()));
            table.row("events", Long.toString(process.process().events()));
            table.row("created", process.process().createdAt().toString());
            process.startedAt().ifPresent(at -> table.row("started", at.toString()));
            table.row("updated", process.process().updatedAt().toString());
            table.print(System.out);
        }
    }

    @Command(
            name = "await",
            description = {
                "Wait for the end of a process, and print its output as JSON.",
                "The exit code of a command is in its output.",
                ""
            },
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "0: it completed",
                "1: it ended otherwise",
                "124: --timeout passed",
                "126: it is a command that cannot be executed",
                "127: it is a command that was not found in the image"
            })
    private static final class Await implements Callable<Integer> {
        private static final Duration FOR_EVER = Duration.ofDays(3650);

        @Option(names = "--timeout", paramLabel = "TIME", description = "How long to wait.", converter = TimeSpan.class)
        private Duration timeout = FOR_EVER;

        @Parameters(paramLabel = "PROCESS", description = "Id of the process.")
        private String id = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                // Who waits may as well bring it about.
                cloche.driveCommands();
                Optional<ProcessView> ended = cloche.processes().await(id, timeout);
                if (ended.isEmpty()) {
                    System.err.println(
                            "cloche: the process \"" + id + "\" has not ended within " + timeout.toSeconds() + " s.");
                    return ExitCodes.TIMED_OUT;
                }
                System.out.println(
                        ended.get().output().map(output -> output.json().text()).orElse("null"));
                return exitCode(ended.get());
            }
        }

        private static int exitCode(ProcessView ended) {
            int otherwise = ended.status() == ProcessStatus.COMPLETED ? ExitCodes.OK : ExitCodes.FAILURE;
            return ended.failure()
                    .map(failure -> ExitCodes.ofStart(failure.code(), otherwise))
                    .orElse(otherwise);
        }
    }

    @Command(
            name = "logs",
            description = {
                "Print what a command of `cloche exec --detach` wrote: its latest 32 to 64 MiB, until it is pruned.",
                "",
                "What no program has fetched from the guest yet is fetched with -f.",
                ""
            })
    private static final class Logs implements Callable<Integer> {
        @Mixin
        private LogOptions options = new LogOptions();

        @Parameters(paramLabel = "PROCESS", description = "Id of the process.")
        private String id = "";

        @Override
        public Integer call() throws InterruptedException {
            options.check();
            try (Cloche cloche = Cloche.open();
                    ProcessLog log = cloche.processes().log(id)) {
                if (options.follow()) {
                    // Who waits may as well bring it about.
                    cloche.driveCommands();
                }
                options.print(log::next, () -> log.await(LogOptions.FOR_EVER));
            }
            return ExitCodes.OK;
        }
    }

    @Command(name = "cancel", description = "Ask the drivers of processes to end them; does not wait until they have.")
    private static final class Cancel implements Callable<Integer> {
        @Option(
                names = "--reason",
                paramLabel = "TEXT",
                description = "Why (default: ${DEFAULT-VALUE}).",
                defaultValue = "cancelled from the command line")
        private String reason = "";

        @Parameters(arity = "1..*", paramLabel = "PROCESS", description = "Ids of processes.")
        private List<String> ids = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(ids, id -> cloche.processes().cancel(id, reason));
            }
        }
    }

    @Command(
            name = "prune",
            description =
                    "Forget processes that have ended, with their events; those that a session has a handle to stay.")
    private static final class Prune implements Callable<Integer> {
        @Option(
                names = "--unused-for",
                paramLabel = "TIME",
                converter = TimeSpan.class,
                description = "Only those to which nothing has happened for so long, for example 12h or 30d.")
        private Duration unusedFor = Duration.ZERO;

        @Option(names = "--granted", description = "Also those that a session has a handle to.")
        private boolean granted;

        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                List<String> pruned = cloche.processes().prune(unusedFor, granted);
                if (format.json()) {
                    JsonOutput.print(System.out, json -> json.object(() -> json.field("processes", pruned)));
                } else {
                    pruned.forEach(id -> System.out.println(Table.clean(id)));
                    System.err.println("forgot " + Quantity.of(pruned.size(), "process"));
                }
            }
            return ExitCodes.OK;
        }
    }
}
