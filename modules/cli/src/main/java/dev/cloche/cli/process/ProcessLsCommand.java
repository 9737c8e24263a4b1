package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.ProcessFilter;
import dev.cloche.ProcessInfo;
import dev.cloche.ProcessTally;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
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
                print(cloche.processes().count(filter()));
            } else {
                list(cloche.processes().list(filter()));
            }
        }
        return ExitCodes.OK;
    }

    /** Counts are of all, unless it is said which. */
    private ProcessFilter filter() {
        Set<String> chosen = statuses.isEmpty() && !all && !count ? Set.of("running") : statuses;
        return new ProcessFilter(
                chosen,
                types,
                Optional.ofNullable(session),
                Optional.ofNullable(text),
                Optional.ofNullable(olderThan),
                Optional.ofNullable(youngerThan));
    }

    private void print(List<ProcessTally> tallies) {
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.array(() ->
                            tallies.forEach(tally -> json.object(() -> json.field("inputType", tally.inputType())
                                    .field("status", tally.status())
                                    .field("count", tally.count())))));
            return;
        }
        Table table = new Table("INPUT", "STATUS", "COUNT");
        tallies.forEach(tally -> table.row(tally.inputType(), tally.status(), Long.toString(tally.count())));
        table.print(System.out);
    }

    private void list(List<ProcessInfo> processes) {
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.array(() -> processes.forEach(process -> json.object(() -> fields(json, process)))));
            return;
        }
        Table table = new Table("ID", "INPUT", "SESSION", "CREATED", "EVENTS", "STATUS", "WAITS FOR", "OWNER");
        Clock clock = Clock.systemUTC();
        for (ProcessInfo process : processes) {
            table.row(
                    process.id(),
                    process.inputType(),
                    process.session(),
                    Age.of(process.createdAt(), clock),
                    Long.toString(process.events()),
                    process.status(),
                    waitsFor(process),
                    process.holder().map(ProcessInfo.Holder::owner).orElse(""));
        }
        table.print(System.out);
    }

    static String waitsFor(ProcessInfo process) {
        return switch (process.waitsFor()) {
            case "driven" -> "its driver";
            case "claimable" -> "a worker";
            case "lost" -> "a worker, lost " + process.lostOwner().orElse("its owner");
            case "paused" ->
                "a pause" + process.pausedUntil().map(end -> " until " + end).orElse("");
            case "external" -> "its outside";
            default -> "";
        };
    }

    static void fields(JsonOutput json, ProcessInfo process) {
        json.field("id", process.id())
                .field("inputType", process.inputType())
                .json("input", Optional.of(process.input()))
                .field("status", process.status())
                .json("output", process.output())
                .field("session", process.session())
                .field("recovery", process.recovery())
                .field("leaseRequired", process.leaseRequired())
                .field("waitsFor", process.waitsFor())
                .field("leaseOwner", process.holder().map(ProcessInfo.Holder::owner))
                .field(
                        "leaseSince",
                        process.holder().map(holder -> holder.since().toString()))
                .field(
                        "leaseUntil",
                        process.holder().map(holder -> holder.until().toString()))
                .field("pausedUntil", process.pausedUntil().map(Instant::toString))
                .field("returnedFor", process.returnedFor())
                .field("lostOwner", process.lostOwner())
                .field("attempts", process.attempts())
                .field("events", process.events())
                .field("lastSequence", process.lastSequence())
                .field("createdAt", process.createdAt())
                .field("startedAt", process.startedAt().map(Instant::toString))
                .field("updatedAt", process.updatedAt());
    }
}
