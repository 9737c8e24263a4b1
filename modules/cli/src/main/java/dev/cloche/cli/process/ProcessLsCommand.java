package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import dev.cloche.process.ProcessCount;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.ProcessView;
import dev.cloche.process.RecoveryPolicy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "ls", description = "List the processes that run, by id.")
final class ProcessLsCommand implements Callable<Integer> {
    @Option(
            names = {"-a", "--all"},
            description = "Also those that have ended.")
    private boolean all;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            description = "Those that are running, completed, failed, cancelled or abandoned; several between commas.")
    private Set<String> statuses = Set.of();

    @Option(names = "--type", paramLabel = "TYPE", split = ",", description = "Those whose input is of these types.")
    private Set<String> types = Set.of();

    @Option(names = "--session", paramLabel = "SESSION", description = "Those of a session.")
    private @Nullable String session;

    @Option(names = "--text", paramLabel = "TEXT", description = "Those with this in their id, type, session or input.")
    private @Nullable String text;

    @Option(
            names = "--older-than",
            paramLabel = "TIME",
            converter = TimeSpan.class,
            description = "Those that were registered so long ago, for example 12h or 30d.")
    private @Nullable Duration olderThan;

    @Option(
            names = "--younger-than",
            paramLabel = "TIME",
            converter = TimeSpan.class,
            description = "Those that were registered less long ago.")
    private @Nullable Duration youngerThan;

    @Option(names = "--count", description = "How many there are by type and status, instead of a list.")
    private boolean count;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            if (count) {
                print(cloche.processes().count(query()));
            } else {
                list(cloche.processes().list(query()));
            }
        }
        return ExitCodes.OK;
    }

    /** Counts are of all, unless it is said which. */
    private ProcessQuery query() {
        Set<ProcessStatus> chosen = statuses.isEmpty() && !all && !count
                ? Set.of(ProcessStatus.RUNNING)
                : statuses.stream().map(ProcessStatus::ofWord).collect(Collectors.toSet());
        ProcessQuery query = ProcessQuery.all().withStatuses(chosen).withInputTypes(types);
        query = session == null ? query : query.withSession(session);
        query = text == null ? query : query.withText(text);
        query = olderThan == null ? query : query.withOlderThan(olderThan);
        return youngerThan == null ? query : query.withYoungerThan(youngerThan);
    }

    private void print(List<ProcessCount> tallies) {
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.array(() ->
                            tallies.forEach(tally -> json.object(() -> json.field("inputType", tally.inputType())
                                    .field("status", EnumNames.of(tally.status()))
                                    .field("count", tally.count())))));
            return;
        }
        Table table = new Table("INPUT", "STATUS", "COUNT");
        tallies.forEach(
                tally -> table.row(tally.inputType(), EnumNames.of(tally.status()), Long.toString(tally.count())));
        table.print(System.out);
    }

    private void list(List<ProcessView> processes) {
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.array(() -> processes.forEach(process -> json.object(() -> fields(json, process)))));
            return;
        }
        Table table = new Table("ID", "INPUT", "SESSION", "CREATED", "EVENTS", "STATUS", "WAITS FOR", "OWNER");
        Clock clock = Clock.systemUTC();
        for (ProcessView process : processes) {
            table.row(
                    process.id(),
                    process.process().registration().input().type(),
                    session(process),
                    Age.of(process.process().createdAt(), clock),
                    Long.toString(process.process().events()),
                    EnumNames.of(process.status()),
                    waitsFor(process),
                    process.holder().map(ProcessView.Holder::owner).orElse(""));
        }
        table.print(System.out);
    }

    static String waitsFor(ProcessView process) {
        return switch (process.phase()) {
            case DRIVEN -> "its driver";
            case CLAIMABLE -> "a worker";
            case LOST -> "a worker, lost " + process.lostOwner().orElse("its owner");
            case PAUSED ->
                "a pause" + process.pausedUntil().map(end -> " until " + end).orElse("");
            case EXTERNAL -> "its outside";
            case ENDED -> "";
        };
    }

    static String session(ProcessView process) {
        return process.process().registration().provenance().ownerScope().session();
    }

    static String name(RecoveryPolicy recovery) {
        return switch (recovery) {
            case RecoveryPolicy.Rerunnable _ -> "rerunnable";
            case RecoveryPolicy.Retrying _ -> "retrying";
            case RecoveryPolicy.OwnerBound _ -> "owner-bound";
            case RecoveryPolicy.ExternallyOwned _ -> "externally-owned";
        };
    }

    static void fields(JsonOutput json, ProcessView process) {
        ProcessRegistration registration = process.process().registration();
        json.field("id", process.id())
                .field("inputType", registration.input().type())
                .json("input", Optional.of(registration.input().payload().text()))
                .field("status", EnumNames.of(process.status()))
                .json("output", process.output().map(output -> output.json().text()))
                .field("session", session(process))
                .field("recovery", name(registration.recovery()))
                .field("leaseRequired", registration.leaseRequired())
                .field("waitsFor", EnumNames.of(process.phase()))
                .field("leaseOwner", process.holder().map(ProcessView.Holder::owner))
                .field(
                        "leaseSince",
                        process.holder().map(holder -> holder.since().toString()))
                .field(
                        "leaseUntil",
                        process.holder().map(holder -> holder.until().toString()))
                .field("pausedUntil", process.pausedUntil().map(Instant::toString))
                .field("returnedFor", process.returnedFor())
                .field("lostOwner", process.lostOwner())
                .field("attempts", process.process().attempts())
                .field("events", process.process().events())
                .field("lastSequence", process.process().lastSequence())
                .field("createdAt", process.process().createdAt())
                .field("startedAt", process.startedAt().map(Instant::toString))
                .field("updatedAt", process.process().updatedAt());
    }
}
