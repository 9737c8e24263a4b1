package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.Images;
import dev.cloche.PruneResult;
import dev.cloche.cli.option.ByteCount;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Quantity;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "prune",
        description = "Remove the images that no sandbox uses, and files that belong to no image.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cloche image prune                       all that no sandbox uses",
            "  cloche image prune --unused-for 30d      what was not pulled or started for 30 days",
            "  cloche image prune --keep 20g            the longest unused first, until 20 GiB are left",
            "  cloche image prune --dry-run             what the first of these would remove"
        })
public final class ImagePruneCommand implements Callable<Integer> {
    @Option(
            names = "--unused-for",
            paramLabel = "TIME",
            converter = TimeSpan.class,
            description = "Only images that were not pulled or started for so long, for example 12h or 30d.")
    private Duration unusedFor = Duration.ZERO;

    @Option(
            names = "--keep",
            paramLabel = "SIZE",
            converter = ByteCount.class,
            description = "Only until the cache is no larger, the longest unused images first, for example 20g.")
    private @Nullable Long keep;

    @Option(names = "--dry-run", description = "Only print what would be removed.")
    private boolean dryRun;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            PruneResult result = dryRun ? plan(cloche.images()) : prune(cloche.images());
            if (format.json()) {
                JsonOutput.print(
                        System.out,
                        json -> json.object(() -> json.field("references", result.references())
                                .field("manifests", result.manifests())
                                .field("layers", result.layers())
                                .field("fsmetas", result.fsmetas())
                                .field("vmdks", result.vmdks())
                                .field("bytes", result.bytes())));
            } else {
                result.references().forEach(System.out::println);
                System.err.println((dryRun ? "would remove " : "removed ") + Quantity.of(result.manifests(), "image")
                        + " and " + Quantity.of(result.layers(), "layer") + ", " + ByteSize.of(result.bytes()));
            }
        }
        return ExitCodes.OK;
    }

    private PruneResult prune(Images images) {
        return keep == null ? images.prune(unusedFor) : images.prune(unusedFor, keep);
    }

    private PruneResult plan(Images images) {
        return keep == null ? images.prunePlan(unusedFor) : images.prunePlan(unusedFor, keep);
    }
}
