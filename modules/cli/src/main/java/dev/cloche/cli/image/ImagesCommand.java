package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.ImageInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
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
            List<ImageInfo> images = cloche.images().list();
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.array(() -> images.forEach(image -> write(json, image))));
                return ExitCodes.OK;
            }
            Table table = new Table("REFERENCE", "DIGEST", "PLATFORM", "LAYERS", "SIZE", "PULLED", "USED BY");
            Clock clock = Clock.systemUTC();
            for (ImageInfo image : images) {
                table.row(
                        name(image),
                        image.digest()
                                .substring(
                                        0, Math.min(DIGEST_WIDTH, image.digest().length())),
                        image.os() + "/" + image.architecture(),
                        String.valueOf(image.layers()),
                        ByteSize.of(image.sizeBytes()),
                        Age.of(image.createdAt(), clock),
                        users(image));
            }
            table.print(System.out);
        }
        return ExitCodes.OK;
    }

    /** Returns the name of an image, or {@code <none>} as in Docker. */
    static String name(ImageInfo image) {
        return image.named() ? image.reference() : "<none>";
    }

    private static String users(ImageInfo image) {
        List<String> users = image.usedBy();
        String first = String.join(", ", users.subList(0, Math.min(USERS_SHOWN, users.size())));
        return users.size() <= USERS_SHOWN ? first : first + " and " + (users.size() - USERS_SHOWN) + " more";
    }

    static void write(JsonOutput json, ImageInfo image) {
        json.object(() -> fields(json, image));
    }

    static void fields(JsonOutput json, ImageInfo image) {
        json.field("reference", image.reference())
                .field("digest", image.digest())
                .field("os", image.os())
                .field("architecture", image.architecture())
                .field("layers", image.layers())
                .field("sizeBytes", image.sizeBytes())
                .field("createdAt", image.createdAt())
                .field("lastUsedAt", image.lastUsedAt())
                .field("usedBy", image.usedBy());
    }
}
