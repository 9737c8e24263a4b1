package dev.cloche.cli.host;

import dev.cloche.CatalogCare;
import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.CommandWords;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands of {@code cloche catalog}. */
public final class CatalogCommands {
    private CatalogCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("check", Check::new);
        all.put("backup", Backup::new);
        all.put("restore", Restore::new);
        all.put("migrate", Migrate::new);
        return all;
    }

    @Command(
            name = "check",
            description = {
                "Read all records, all files of images and the memory of all snapshots, and print what is wrong with them, and what",
                "no record has: VMs, sockets, directories. Changes nothing. Takes as long as reading all of it does, and says how long.",
                "The exit code is 1 if something is wrong."
            })
    private static final class Check implements Callable<Integer> {
        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            long begin = System.nanoTime();
            List<String> problems = Cloche.catalog(ClocheOptions.ofEnvironment()).check().stream()
                    .map(CommandWords::of)
                    .toList();
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            System.err.println(String.format(Locale.ROOT, "read everything in %.1f s", millis / 1000.0));
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.object(
                                () -> json.field("problems", problems).field("millis", millis)));
            } else if (problems.isEmpty()) {
                System.out.println("all is sound");
            } else {
                Table table = new Table("PROBLEM");
                problems.forEach(table::row);
                table.print(System.out);
            }
            return problems.isEmpty() ? ExitCodes.OK : ExitCodes.FAILURE;
        }
    }

    @Command(
            name = "backup",
            description = {
                "Copy the records, as of one moment, while they are in use.",
                "'cloche catalog restore' puts it in their place."
            })
    private static final class Backup implements Callable<Integer> {
        @Parameters(paramLabel = "FILE", description = "The copy; it must not exist yet.")
        private Path target = Path.of("");

        @Override
        public Integer call() {
            Cloche.catalog(ClocheOptions.ofEnvironment()).backup(target);
            System.out.println(target);
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "restore",
            description = {
                "Put a copy in the place of the records, where these are lost or damaged. They are kept as catalog.db.replaced.",
                "No other process may use the state root; sandboxes may run, and those that the copy knows are found again."
            })
    private static final class Restore implements Callable<Integer> {
        @Parameters(
                arity = "0..1",
                paramLabel = "FILE",
                description =
                        "A copy that 'cloche catalog backup' has made; without it, the one that is made by itself every day.")
        private @Nullable Path copy;

        @Override
        public Integer call() {
            CatalogCare care = Cloche.catalog(ClocheOptions.ofEnvironment());
            System.out.println(copy == null ? care.restoreLatest() : care.restore(copy));
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "migrate",
            description = {
                "Bring the records to the form of this program, as any other command would, and print what was done.",
                "An older program then refuses them."
            })
    private static final class Migrate implements Callable<Integer> {
        @Option(names = "--dry-run", description = "Only print what would be done.")
        private boolean dryRun;

        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            CatalogCare care = Cloche.catalog(ClocheOptions.ofEnvironment());
            List<CatalogCare.Migration> migrations = dryRun ? care.due() : care.migrate();
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.array(() ->
                                migrations.forEach(migration -> json.object(() -> json.field("room", migration.room())
                                        .field("version", migration.version())
                                        .field("what", migration.what())
                                        .field("reversible", migration.reversible())
                                        .field("touchesUserData", migration.touchesUserData())))));
                return ExitCodes.OK;
            }
            Table table = new Table("ROOM", "VERSION", "WHAT", "REVERSIBLE", "USER DATA");
            for (CatalogCare.Migration migration : migrations) {
                table.row(
                        migration.room(),
                        String.valueOf(migration.version()),
                        migration.what(),
                        migration.reversible() ? "yes" : "no",
                        migration.touchesUserData() ? "touched" : "untouched");
            }
            table.print(System.out);
            return ExitCodes.OK;
        }
    }
}
