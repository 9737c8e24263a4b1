package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.SnapshotInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "create",
        description = {
            "Keep a sandbox as it is now under a name, and print that.",
            "",
            "Of one that runs, memory and disk as of one moment; it is halted for that and goes on. Of one that has ended,"
                    + " its disk.",
            ""
        })
public final class SnapshotCreateCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String sandbox = "";

    @Parameters(index = "1", paramLabel = "NAME", description = "The name of the snapshot.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            SnapshotInfo taken = cloche.snapshots().create(sandbox, name);
            if (format.json()) {
                JsonOutput.print(System.out, json -> SnapshotFields.write(json, taken));
            } else {
                System.out.println(taken.name());
            }
        }
        return ExitCodes.OK;
    }
}
