package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.SnapshotInfo;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "inspect", description = "Print what is known of a snapshot, as JSON.")
public final class SnapshotInspectCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "Name of the snapshot.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            SnapshotInfo snapshot = cloche.snapshots().get(name);
            JsonOutput.print(System.out, json -> SnapshotFields.write(json, snapshot));
        }
        return ExitCodes.OK;
    }
}
