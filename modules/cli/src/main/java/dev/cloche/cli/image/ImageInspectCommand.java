package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Quantity;
import dev.cloche.cli.terminal.Table;
import dev.cloche.image.ImageDetails;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "inspect", description = "Print everything that is known of an image.")
final class ImageInspectCommand implements Callable<Integer> {
    @Option(names = "--layers", description = "Print its layers, from bottom to top.")
    private boolean layers;

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(
            paramLabel = "IMAGE",
            description = "An image on this host: its name, or its digest (sha256:…) or the beginning of it.")
    private String image = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            ImageDetails details = cloche.images().inspect(image);
            details.warnings().forEach(warning -> System.err.println("cloche: " + warning));
            if (format.json()) {
                JsonOutput.print(System.out, json -> write(json, details));
            } else if (layers) {
                printLayers(details);
            } else {
                print(details);
            }
        }
        return ExitCodes.OK;
    }

    private static void print(ImageDetails image) {
        Table table = new Table("PROPERTY", "VALUE");
        table.row("reference", ImagesCommand.name(image.image()));
        table.row("digest", image.summary().manifest().toString());
        table.row("config", image.configDigest().toString());
        table.row("platform", ImagesCommand.platform(image.summary()));
        table.row(
                "size",
                ByteSize.of(image.summary().sizeBytes()) + " in "
                        + Quantity.of(image.summary().layers(), "layer"));
        table.row("pulled", image.summary().createdAt().toString());
        table.row("last used", image.summary().lastUsedAt().toString());
        table.row("entrypoint", words(image.config().entrypoint()));
        table.row("cmd", words(image.config().cmd()));
        table.row("user", image.config().user());
        table.row("working directory", image.config().workingDir());
        table.row("stop signal", image.config().stopSignal());
        image.config().env().forEach(variable -> table.row("env", variable));
        new TreeMap<>(image.config().labels()).forEach((name, value) -> table.row("label", name + "=" + value));
        ImagesCommand.usedBy(image.image()).forEach(holder -> table.row("used by", holder));
        table.print(System.out);
    }

    private static void printLayers(ImageDetails image) {
        Table table = new Table("#", "DIFF ID", "BLOB", "COMPRESSED", "HERE", "TYPE");
        int position = 0;
        for (ImageDetails.Layer layer : image.layers()) {
            table.row(
                    String.valueOf(position++),
                    layer.diffId().toString(),
                    layer.blob().toString(),
                    ByteSize.of(layer.compressedBytes()),
                    ByteSize.of(layer.erofsBytes()),
                    layer.mediaType());
        }
        table.print(System.out);
    }

    private static void write(JsonOutput json, ImageDetails image) {
        json.object(() -> {
            ImagesCommand.fields(json, image.image());
            json.field("mediaType", image.mediaType())
                    .field("configDigest", image.configDigest().toString())
                    .field("env", image.config().env())
                    .field("cmd", image.config().cmd())
                    .field("entrypoint", image.config().entrypoint())
                    .field("user", image.config().user())
                    .field("workingDirectory", image.config().workingDir())
                    .field("stopSignal", image.config().stopSignal())
                    .field("warnings", image.warnings());
            json.name("labels").object(() -> new TreeMap<>(image.config().labels()).forEach(json::field));
            json.name("layerList")
                    .array(() -> image.layers()
                            .forEach(layer -> json.object(
                                    () -> json.field("diffId", layer.diffId().toString())
                                            .field("digest", layer.blob().toString())
                                            .field("mediaType", layer.mediaType())
                                            .field("compressedBytes", layer.compressedBytes())
                                            .field("bytesHere", layer.erofsBytes()))));
        });
    }

    /** Joins words, quoted for a shell where that matters. */
    private static String words(List<String> words) {
        return String.join(
                " ",
                words.stream()
                        .map(word ->
                                word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                        .toList());
    }
}
