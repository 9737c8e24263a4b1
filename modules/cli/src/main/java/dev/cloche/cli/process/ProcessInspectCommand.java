package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.ProcessInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "inspect", description = "Print everything that is known of a process but its events.")
public final class ProcessInspectCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(paramLabel = "PROCESS", description = "Id of the process.")
    private String id = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            ProcessInfo process = NoSuchProcess.orThrow(cloche.processes().find(id), id);
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.object(() -> ProcessLsCommand.fields(json, process)));
            } else {
                print(process);
            }
        }
        return ExitCodes.OK;
    }

    private static void print(ProcessInfo process) {
        Table table = new Table("PROPERTY", "VALUE");
        table.row("id", process.id());
        table.row("status", process.status());
        process.output().ifPresent(output -> table.row("output", output));
        table.row("input", process.inputType() + " " + process.input());
        table.row("session", process.session());
        table.row("recovery", process.recovery() + (process.leaseRequired() ? ", ends with its lease only" : ""));
        String waitsFor = ProcessLsCommand.waitsFor(process);
        if (!waitsFor.isEmpty()) {
            table.row("waits for", waitsFor);
        }
        process.holder()
                .ifPresent(holder ->
                        table.row("lease", holder.owner() + " since " + holder.since() + ", until " + holder.until()));
        process.returnedFor().ifPresent(why -> table.row("returned for", why));
        process.lostOwner().ifPresent(owner -> table.row("lost owner", owner));
        table.row("attempts", Integer.toString(process.attempts()));
        table.row("events", Long.toString(process.events()));
        table.row("created", process.createdAt().toString());
        process.startedAt().ifPresent(at -> table.row("started", at.toString()));
        table.row("updated", process.updatedAt().toString());
        table.print(System.out);
    }
}
