package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.Machines;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.machine.KeptSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands of the snapshots of machines. */
final class MachineSnapshotCommands {
    private MachineSnapshotCommands() {}

    @Command(
            name = "snapshot",
            description = {
                "Keep what is on the disk of a machine, running or not, under a name. Without a name: list what is kept.",
                ""
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  cloche machine snapshot dev before-upgrade",
                "  cloche machine snapshot dev",
                "  cloche machine snapshot --rm dev before-upgrade"
            })
    static final class Snapshot implements Callable<Integer> {
        @Option(names = "--memory", description = "Of a running machine: its memory too.")
        private boolean memory;

        @Option(names = "--rm", description = "Delete these snapshots.")
        private boolean remove;

        @Mixin
        private FormatOption format = new FormatOption();

        @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
        private String name = "";

        @Parameters(index = "1..*", arity = "0..*", paramLabel = "SNAPSHOT", description = "The name of the snapshot.")
        private List<String> snapshots = new ArrayList<>();

        @Override
        public Integer call() {
            if (snapshots.isEmpty() && (remove || memory)) {
                throw new UsageError("No snapshot is named.", "Name one after the machine.");
            }
            try (Cloche cloche = Cloche.open()) {
                Machines machines = cloche.machines();
                if (snapshots.isEmpty()) {
                    list(machines.snapshots(name));
                    return ExitCodes.OK;
                }
                return Each.of(snapshots, snapshot -> {
                    if (!remove) {
                        machines.snapshot(name, snapshot, memory);
                    } else if (!machines.removeSnapshot(name, snapshot)) {
                        throw new UsageError(
                                "The machine \"" + name + "\" has no snapshot \"" + snapshot + "\".",
                                "List them with: cloche machine snapshot " + name);
                    }
                });
            }
        }

        private void list(List<KeptSnapshot> kept) {
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.array(() -> kept.forEach(snapshot -> json.object(
                                () -> json.field("name", snapshot.name().value())
                                        .field("memory", snapshot.memory())
                                        .field("takenAt", snapshot.takenAt())))));
                return;
            }
            Table table = new Table("SNAPSHOT", "MEMORY", "TAKEN");
            kept.forEach(snapshot -> table.row(
                    snapshot.name().value(),
                    snapshot.memory() ? "yes" : "no",
                    snapshot.takenAt().toString()));
            table.print(System.out);
        }
    }

    @Command(
            name = "restore",
            description = "Put a machine that does not run back to a snapshot of it; what was written since is lost.")
    static final class Restore implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
        private String name = "";

        @Parameters(index = "1", paramLabel = "SNAPSHOT", description = "The name of the snapshot.")
        private String snapshot = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                cloche.machines().restore(name, snapshot);
            }
            System.out.println(snapshot);
            return ExitCodes.OK;
        }
    }
}
