package dev.cloche.cli.host;

import dev.cloche.CatalogCare;
import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "migrate",
        description = {
            "Bring the records to the form of this program, as any other command would, and print what was done.",
            "An older program then refuses them."
        })
public final class CatalogMigrateCommand implements Callable<Integer> {
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
