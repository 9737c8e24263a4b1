package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.SnapshotInfo;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "inspect", description = "Print what is known of a snapshot, as JSON.")
final class SnapshotInspectCommand implements Callable<Integer> {
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
