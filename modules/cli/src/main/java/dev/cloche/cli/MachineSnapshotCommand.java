package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "snapshot", description = "Keep what is on the disk of a machine, running or not, under a name.")
final class MachineSnapshotCommand implements Callable<Integer> {
    @Option(names = "--memory", description = "Of a running machine: its memory too.")
    private boolean memory;

    @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "SNAPSHOT", description = "The name of the snapshot.")
    private String snapshot = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            cloche.machines().snapshot(name, snapshot, memory);
        }
        System.out.println(snapshot);
        return ExitCodes.OK;
    }
}
