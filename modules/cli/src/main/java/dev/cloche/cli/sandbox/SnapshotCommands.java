package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.SnapshotInfo;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Has the commands of {@code cloche snapshot}. */
public final class SnapshotCommands {
    private SnapshotCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("create", Create::new);
        all.put("ls", Ls::new);
        all.put("inspect", Inspect::new);
        all.put("rm", Rm::new);
        return all;
    }

    @Command(
            name = "create",
            description = {
                "Keep a sandbox as it is now under a name, and print that.",
                "",
                "Of one that runs, memory and disk as of one moment; it is halted for that and goes on. Of one that has ended,"
                        + " its disk.",
                ""
            })
    private static final class Create implements Callable<Integer> {
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
                    JsonOutput.print(System.out, json -> Fields.write(json, taken));
                } else {
                    System.out.println(taken.name());
                }
            }
            return ExitCodes.OK;
        }
    }

    @Command(name = "ls", description = "List the snapshots of sandboxes.")
    private static final class Ls implements Callable<Integer> {
        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                List<SnapshotInfo> snapshots = cloche.snapshots().list();
                if (format.json()) {
                    JsonOutput.print(
                            System.out,
                            json -> json.array(() -> snapshots.forEach(snapshot -> Fields.write(json, snapshot))));
                } else {
                    Clock clock = Clock.systemUTC();
                    Table table = new Table("NAME", "SANDBOX", "IMAGE", "CONTENTS", "MEMORY", "CREATED");
                    snapshots.forEach(snapshot -> table.row(
                            snapshot.name(),
                            snapshot.sandbox(),
                            snapshot.image(),
                            EnumNames.of(snapshot.contents()),
                            snapshot.memoryMib() + "m",
                            Age.of(snapshot.createdAt(), clock)));
                    table.print(System.out);
                }
            }
            return ExitCodes.OK;
        }
    }

    @Command(name = "inspect", description = "Print what is known of a snapshot, as JSON.")
    private static final class Inspect implements Callable<Integer> {
        @Parameters(paramLabel = "NAME", description = "Name of the snapshot.")
        private String name = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                SnapshotInfo snapshot = cloche.snapshots().get(name);
                JsonOutput.print(System.out, json -> Fields.write(json, snapshot));
            }
            return ExitCodes.OK;
        }
    }

    @Command(name = "rm", description = "Remove snapshots. Sandboxes that were restored from them go on.")
    private static final class Rm implements Callable<Integer> {
        @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of snapshots.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names, cloche.snapshots()::remove);
            }
        }
    }

    /** Writes the fields of a snapshot. */
    private static final class Fields {
        private Fields() {}

        static void write(JsonOutput json, SnapshotInfo snapshot) {
            json.object(() -> json.field("name", snapshot.name())
                    .field("contents", EnumNames.of(snapshot.contents()))
                    .field("sandbox", snapshot.sandbox())
                    .field("image", snapshot.image())
                    .field("digest", snapshot.digest())
                    .field("memoryMib", snapshot.memoryMib())
                    .field("cpus", snapshot.cpus())
                    .field("diskMib", snapshot.diskMib())
                    .field("network", snapshot.network())
                    .field(
                            "pauseMillis",
                            snapshot.pause().isPresent()
                                    ? OptionalLong.of(snapshot.pause().get().toMillis())
                                    : OptionalLong.empty())
                    .field("createdAt", snapshot.createdAt()));
        }
    }
}
