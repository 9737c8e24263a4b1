package dev.cloche.cli.host;

import dev.cloche.CatalogCare;
import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Quantity;
import dev.cloche.cli.terminal.Table;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Has the commands of {@code cloche system}. */
public final class SystemCommands {
    private SystemCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("df", DiskUse::new);
        all.put("prune", Prune::new);
        return all;
    }

    @Command(
            name = "df",
            description = {
                "Show what all of Cloche takes on the disk, and what removes it.",
                "Blocks count, not sizes. A file that several have, such as the lower layers of a disk and of its snapshot, counts"
                        + " once, for the first of them."
            })
    private static final class DiskUse implements Callable<Integer> {
        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            List<CatalogCare.DiskUsage> parts =
                    Cloche.catalog(ClocheOptions.ofEnvironment()).diskUsage();
            long bytes = parts.stream().mapToLong(CatalogCare.DiskUsage::bytes).sum();
            long files = parts.stream().mapToLong(CatalogCare.DiskUsage::files).sum();
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.object(() -> {
                            json.name("parts").array(() -> parts.forEach(part -> write(json, part)));
                            json.field("bytes", bytes).field("files", files);
                        }));
                return ExitCodes.OK;
            }
            Table table = new Table("PART", "SIZE", "FILES", "REMOVED BY");
            parts.forEach(part -> table.row(
                    EnumNames.of(part.part()),
                    ByteSize.of(part.bytes()),
                    String.valueOf(part.files()),
                    removal(part.part())));
            table.row("all", ByteSize.of(bytes), String.valueOf(files), "");
            table.print(System.out);
            return ExitCodes.OK;
        }

        private static void write(JsonOutput json, CatalogCare.DiskUsage part) {
            json.object(() -> json.field("part", EnumNames.of(part.part()))
                    .field("bytes", part.bytes())
                    .field("files", part.files()));
        }

        private static String removal(CatalogCare.DiskUsage.Part part) {
            return switch (part) {
                case LAYERS, IMAGES -> "cloche image prune";
                case TEMPLATES -> "cloche template prune";
                case PREPARED_TEMPLATES -> "cloche template rm";
                case SNAPSHOTS -> "cloche snapshot rm";
                case MACHINES -> "cloche machine rm";
                case SANDBOXES -> "cloche rm";
                case POOLS -> "cloche pool rm";
                case VMS -> "cloche stop";
                case LOGS -> "cloche process prune";
                case CATALOG, OTHER -> "";
            };
        }
    }

    @Command(
            name = "prune",
            description = {
                "Remove what nothing uses and what comes back when it is needed, as these commands do, in this order:",
                "",
                "  cloche process prune   processes that have ended, with what they wrote",
                "  cloche template prune  templates that no sandbox runs from",
                "  cloche image prune     images that no sandbox uses",
                "",
                "Nothing else goes: sandboxes stay, also those that have ended, and so do snapshots, templates with a name,"
                        + " machines and pools. 'cloche system df' shows what they take.",
                ""
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  cloche system prune --dry-run            what would go now, and what that frees",
                "  cloche system prune --unused-for 30d     only what nothing has used for 30 days"
            })
    private static final class Prune implements Callable<Integer> {
        @Option(
                names = "--unused-for",
                paramLabel = "TIME",
                converter = TimeSpan.class,
                description = "Only what nothing has used for so long, for example 12h or 30d.")
        private Duration unusedFor = Duration.ZERO;

        @Option(names = "--dry-run", description = "Only print what would be removed.")
        private boolean dryRun;

        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            CatalogCare care = Cloche.catalog(ClocheOptions.ofEnvironment());
            List<CatalogCare.Pruned> parts = dryRun ? care.prunePlan(unusedFor) : care.prune(unusedFor);
            long bytes = parts.stream().mapToLong(CatalogCare.Pruned::bytes).sum();
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.object(() -> {
                            json.name("parts").array(() -> parts.forEach(part -> write(json, part)));
                            json.field("bytes", bytes);
                        }));
                return ExitCodes.OK;
            }
            for (CatalogCare.Pruned part : parts) {
                String kind = noun(part.kind());
                part.names().forEach(name -> System.out.println(kind + " " + Table.clean(name)));
                System.err.println((dryRun ? "would remove " : "removed ")
                        + Quantity.of(part.names().size(), kind) + ", " + ByteSize.of(part.bytes()));
            }
            System.err.println((dryRun ? "would free " : "freed ") + ByteSize.of(bytes) + " in all");
            return ExitCodes.OK;
        }

        private static void write(JsonOutput json, CatalogCare.Pruned part) {
            json.object(() -> json.field("part", EnumNames.of(part.kind()))
                    .field("names", part.names())
                    .field("bytes", part.bytes()));
        }

        private static String noun(CatalogCare.Pruned.Kind kind) {
            return switch (kind) {
                case PROCESSES -> "process";
                case TEMPLATES -> "template";
                case IMAGES -> "image";
            };
        }
    }
}
