package dev.cloche.cli.host;

import dev.cloche.CatalogCare;
import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Has the commands of {@code cloche system}. */
public final class SystemCommands {
    private SystemCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("df", DiskUse::new);
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
}
