package dev.cloche.cli.host;

import dev.cloche.CatalogCare;
import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.MaintenanceResult;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Quantity;
import dev.cloche.cli.terminal.Table;
import dev.cloche.sandbox.MaintenanceStep;
import dev.cloche.sandbox.Orphan;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "maintain",
        description = {
            "Record the ends of sandboxes that no process has seen end, remove what dead processes left of ephemeral ones, and"
                    + " suspend those that are held at their deadlines.",
            "Every command does some of this by itself. The exit code is 1 if something resisted."
        })
public final class MaintainCommand implements Callable<Integer> {
    @Option(names = "--dry-run", description = "Only print what would be done.")
    private boolean dryRun;

    @Option(
            names = "--orphans",
            description =
                    "End the VMs and remove the directories, disks and sockets that no record has, and nothing else. With"
                            + " --dry-run, print them. After a loss of the records, try 'cloche catalog restore' first.")
    private boolean orphans;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        if (orphans) {
            CatalogCare care = Cloche.catalog(ClocheOptions.ofEnvironment());
            List<Orphan> left = dryRun ? care.orphans() : care.removeOrphans();
            printOrphans(left);
            return dryRun || left.isEmpty() ? ExitCodes.OK : ExitCodes.FAILURE;
        }
        if (dryRun) {
            printPlan(Cloche.maintenancePlan(ClocheOptions.ofEnvironment()));
            return ExitCodes.OK;
        }
        try (Cloche cloche = Cloche.open()) {
            MaintenanceResult result = cloche.maintain();
            print(result);
            return result.swept() && result.errors() == 0 ? ExitCodes.OK : ExitCodes.FAILURE;
        }
    }

    private void print(MaintenanceResult result) {
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.object(() -> json.field("swept", result.swept())
                            .field("examined", result.examined())
                            .field("reconciled", result.reconciled())
                            .field("removed", result.removed())
                            .field("suspended", result.suspended())
                            .field("machines", result.machines())
                            .field("errors", result.errors())
                            .field("unfinished", result.unfinished())));
        } else if (result.swept()) {
            System.out.println(text(result));
        } else {
            System.err.println("nothing was done: another process is at it, or the log above says why");
        }
    }

    static String text(MaintenanceResult result) {
        return "recorded " + Quantity.of(result.reconciled(), "end") + ", removed "
                + Quantity.of(result.removed(), "sandbox") + rest(result.machines()) + suspended(result.suspended())
                + ", " + result.errors() + " resisted";
    }

    private static String rest(int machines) {
        return machines == 0 ? "" : ", and what " + Quantity.of(machines, "machine") + " left";
    }

    private static String suspended(int held) {
        return held == 0 ? "" : ", suspended " + Quantity.of(held, "sandbox") + " held at the deadline";
    }

    private void printOrphans(List<Orphan> found) {
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.array(() ->
                            found.forEach(orphan -> json.object(() -> json.field("kind", EnumNames.of(orphan.kind()))
                                    .field("name", orphan.name())
                                    .field("live", orphan.live())
                                    .field("inUse", orphan.inUse())
                                    .field("what", orphan.what())))));
        } else if (!found.isEmpty()) {
            Table table = new Table("KIND", "WHAT");
            found.forEach(orphan -> table.row(EnumNames.of(orphan.kind()), orphan.what()));
            table.print(System.out);
        }
    }

    private void printPlan(List<MaintenanceStep> steps) {
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.array(() ->
                            steps.forEach(step -> json.object(() -> json.field("sandbox", step.sandbox())
                                    .field("action", EnumNames.of(step.action()))
                                    .field("detail", step.detail())))));
            return;
        }
        Table table = new Table("SANDBOX", "ACTION", "WHY");
        steps.forEach(step -> table.row(step.sandbox(), EnumNames.of(step.action()), step.detail()));
        table.print(System.out);
    }
}
