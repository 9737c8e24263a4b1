package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.LocalImage;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "images",
        description = {
            "List the images on this host, the newest first, with what uses them.",
            "<none> has lost its name and goes with the last that uses it; its digest can be given in place of a name."
        })
public final class ImagesCommand implements Callable<Integer> {
    private static final int USERS_SHOWN = 3;
    private static final int DIGEST_WIDTH = "sha256:".length() + 12;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<LocalImage> images = cloche.images().list();
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.array(() -> images.forEach(image -> write(json, image))));
                return ExitCodes.OK;
            }
            Table table = new Table("REFERENCE", "DIGEST", "PLATFORM", "LAYERS", "SIZE", "PULLED", "USED BY");
            Clock clock = Clock.systemUTC();
            for (LocalImage image : images) {
                ImageSummary summary = image.summary();
                table.row(
                        name(image),
                        summary.manifest().toString().substring(0, DIGEST_WIDTH),
                        platform(summary),
                        String.valueOf(summary.layers()),
                        ByteSize.of(summary.sizeBytes()),
                        Age.of(summary.createdAt(), clock),
                        users(image));
            }
            table.print(System.out);
        }
        return ExitCodes.OK;
    }

    /** Returns the name of an image, or {@code <none>} as in Docker. */
    static String name(LocalImage image) {
        return image.named() ? image.summary().reference().toString() : "<none>";
    }

    /** Returns what it runs on, without the generation of the processor. */
    static String platform(ImageSummary image) {
        return image.platform().os() + "/" + image.platform().architecture();
    }

    static List<String> usedBy(LocalImage image) {
        return image.holders().stream().map(ImageHolder::toString).toList();
    }

    private static String users(LocalImage image) {
        List<String> users = usedBy(image);
        String first = String.join(", ", users.subList(0, Math.min(USERS_SHOWN, users.size())));
        return users.size() <= USERS_SHOWN ? first : first + " and " + (users.size() - USERS_SHOWN) + " more";
    }

    static void write(JsonOutput json, LocalImage image) {
        json.object(() -> fields(json, image));
    }

    static void fields(JsonOutput json, LocalImage image) {
        ImageSummary summary = image.summary();
        json.field("reference", summary.reference().toString())
                .field("digest", summary.manifest().toString())
                .field("os", summary.platform().os())
                .field("architecture", summary.platform().architecture())
                .field("layers", summary.layers())
                .field("sizeBytes", summary.sizeBytes())
                .field("createdAt", summary.createdAt())
                .field("lastUsedAt", summary.lastUsedAt())
                .field("usedBy", usedBy(image));
    }
}
