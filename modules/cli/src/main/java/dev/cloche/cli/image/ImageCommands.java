package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.Images;
import dev.cloche.cli.option.ByteCount;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.cli.terminal.Quantity;
import dev.cloche.image.ImagePruneReport;
import dev.cloche.image.ImageReference;
import dev.cloche.image.LocalImage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands of {@code cloche image}. */
public final class ImageCommands {
    private ImageCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("ls", ImagesCommand::new);
        all.put("inspect", ImageInspectCommand::new);
        all.put("pull", PullCommand::new);
        all.put("tag", Tag::new);
        all.put("rm", Rm::new);
        all.put("prune", Prune::new);
        all.put("load", Load::new);
        all.put("save", Save::new);
        return all;
    }

    @Command(name = "tag", description = "Give an image another name; a name that is taken is moved.")
    private static final class Tag implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "IMAGE", description = "An image on this host.")
        private String image = "";

        @Parameters(index = "1", paramLabel = "NAME", description = "The other name.")
        private String name = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                System.out.println(cloche.images().tag(image, name).summary().reference());
            }
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "rm",
            description = {
                "Remove names of images; with its last name goes the image.",
                "A digest stands for the only name of its image, and with -f for all of them."
            })
    private static final class Rm implements Callable<Integer> {
        @Option(
                names = {"-f", "--force"},
                description = "Also those in use: the image then goes with the last sandbox that uses it.")
        private boolean force;

        @Parameters(
                arity = "1..*",
                paramLabel = "IMAGE",
                description = "Images on this host: names, or digests (sha256:…) or their beginnings.")
        private List<String> images = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(images, image -> cloche.images().remove(image, force));
            }
        }
    }

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
    private static final class Prune implements Callable<Integer> {
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
                ImagePruneReport result = dryRun ? plan(cloche.images()) : prune(cloche.images());
                if (format.json()) {
                    JsonOutput.print(
                            System.out,
                            json -> json.object(() -> json.field(
                                            "references",
                                            result.references().stream()
                                                    .map(ImageReference::toString)
                                                    .toList())
                                    .field("manifests", result.manifests())
                                    .field("layers", result.layers())
                                    .field("fsmetas", result.fsmetas())
                                    .field("vmdks", result.vmdks())
                                    .field("bytes", result.bytes())));
                } else {
                    result.references().forEach(System.out::println);
                    System.err.println(
                            (dryRun ? "would remove " : "removed ") + Quantity.of(result.manifests(), "image") + " and "
                                    + Quantity.of(result.layers(), "layer") + ", " + ByteSize.of(result.bytes()));
                }
            }
            return ExitCodes.OK;
        }

        private ImagePruneReport prune(Images images) {
            return keep == null ? images.prune(unusedFor) : images.prune(unusedFor, keep);
        }

        private ImagePruneReport plan(Images images) {
            return keep == null ? images.prunePlan(unusedFor) : images.prunePlan(unusedFor, keep);
        }
    }

    @Command(
            name = "load",
            description = "Take images out of an archive of docker save or cloche image save, or out of an OCI layout.")
    private static final class Load implements Callable<Integer> {
        private static final Path STANDARD_INPUT = Path.of("/dev/stdin");

        @Option(
                names = "--name",
                paramLabel = "NAME",
                description = "What the image is called, for an archive that does not say or says otherwise.")
        private @Nullable String name;

        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress.")
        private boolean quiet;

        @Mixin
        private FormatOption format = new FormatOption();

        @Parameters(
                paramLabel = "FILE",
                description =
                        "Archive, plain or compressed by gzip or zstd; directory with an OCI layout; - for standard"
                                + " input.")
        private String file = "";

        @Override
        public Integer call() {
            Path archive = file.equals("-") ? STANDARD_INPUT : Path.of(file);
            try (Cloche cloche = Cloche.open()) {
                List<LocalImage> images;
                try (ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                    images = name == null
                            ? cloche.images().load(archive, progress)
                            : List.of(cloche.images().load(archive, name, progress));
                }
                if (format.json()) {
                    JsonOutput.print(
                            System.out,
                            json -> json.array(() -> images.forEach(image -> ImagesCommand.write(json, image))));
                } else {
                    images.forEach(image -> System.out.println(image.summary().reference()));
                }
            }
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "save",
            description = {
                "Write images into one archive, an OCI layout that Docker loads too.",
                "Layers that were pulled are fetched from their registry again, byte for byte."
            })
    private static final class Save implements Callable<Integer> {
        @Option(
                names = {"-o", "--output"},
                required = true,
                paramLabel = "FILE",
                description = "The archive; it must not exist yet.")
        private Path output = Path.of("");

        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress.")
        private boolean quiet;

        @Parameters(arity = "1..*", paramLabel = "IMAGE", description = "Images on this host.")
        private List<String> images = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open();
                    ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                cloche.images().save(images, output, progress);
            }
            return ExitCodes.OK;
        }
    }
}
