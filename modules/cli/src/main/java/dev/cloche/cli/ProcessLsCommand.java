package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.ProcessInfo;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "ls", description = "List the processes that run, by id.")
final class ProcessLsCommand implements Callable<Integer> {
    @Option(
            names = {"-a", "--all"},
            description = "Also those that have ended.")
    private boolean all;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<ProcessInfo> processes = cloche.processes().list(all);
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.array(
                                () -> processes.forEach(process -> json.object(() -> fields(json, process)))));
                return ExitCodes.OK;
            }
            Table table = new Table("ID", "INPUT", "SESSION", "CREATED", "EVENTS", "STATUS");
            Clock clock = Clock.systemUTC();
            for (ProcessInfo process : processes) {
                table.row(
                        process.id(),
                        process.inputType(),
                        process.session(),
                        Age.of(process.createdAt(), clock),
                        Long.toString(process.events()),
                        process.status());
            }
            table.print(System.out);
        }
        return ExitCodes.OK;
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
                .field("attempts", process.attempts())
                .field("events", process.events())
                .field("lastSequence", process.lastSequence())
                .field("createdAt", process.createdAt())
                .field("updatedAt", process.updatedAt());
    }
}
