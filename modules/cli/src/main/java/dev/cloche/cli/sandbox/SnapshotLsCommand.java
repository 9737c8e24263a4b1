package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.SnapshotInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "ls", description = "List the snapshots of sandboxes.")
public final class SnapshotLsCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<SnapshotInfo> snapshots = cloche.snapshots().list();
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.array(() -> snapshots.forEach(snapshot -> SnapshotFields.write(json, snapshot))));
            } else {
                Clock clock = Clock.systemUTC();
                Table table = new Table("NAME", "SANDBOX", "IMAGE", "CONTENTS", "MEMORY", "CREATED");
                snapshots.forEach(snapshot -> table.row(
                        snapshot.name(),
                        snapshot.sandbox(),
                        snapshot.image(),
                        snapshot.contents(),
                        snapshot.memoryMib() + "m",
                        Age.of(snapshot.createdAt(), clock)));
                table.print(System.out);
            }
        }
        return ExitCodes.OK;
    }
}
