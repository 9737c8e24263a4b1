package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.SnapshotInfo;
import dev.cloche.Templates;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.MemorySize;
import dev.cloche.cli.option.SizeOptions;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.Age;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.ProgressDisplay;
import dev.cloche.cli.terminal.Table;
import dev.cloche.sandbox.Template;
import dev.cloche.vm.Network;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands of {@code cloche template}. */
public final class TemplateCommands {
    private TemplateCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("ls", Ls::new);
        all.put("inspect", Inspect::new);
        all.put("make", Make::new);
        all.put("rm", Rm::new);
        all.put("prune", Prune::new);
        return all;
    }

    @Command(name = "ls", description = "List the templates.")
    private static final class Ls implements Callable<Integer> {
        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                List<Template> templates = cloche.templates().list();
                List<SnapshotInfo> prepared = cloche.templates().prepared();
                if (format.json()) {
                    JsonOutput.print(
                            System.out,
                            json -> json.array(() -> {
                                prepared.forEach(template -> Fields.write(json, template));
                                templates.forEach(template -> Fields.write(json, template));
                            }));
                } else {
                    Clock clock = Clock.systemUTC();
                    Table table = new Table("NAME", "IMAGE", "MEMORY", "CPUS", "USED");
                    prepared.forEach(template -> table.row(
                            template.name(),
                            template.image(),
                            template.memoryMib() + "m",
                            String.valueOf(template.cpus()),
                            Age.of(template.createdAt(), clock)));
                    templates.forEach(template -> table.row(
                            template.name(),
                            template.usable()
                                    ? template.image().map(Ls::shortened).orElse("")
                                    : "gone",
                            template.memoryMib() + "m",
                            String.valueOf(template.cpus()),
                            Age.of(template.lastUsedAt(), clock)));
                    table.print(System.out);
                }
            }
            return ExitCodes.OK;
        }

        private static String shortened(String digest) {
            return digest.length() > 19 ? digest.substring(0, 19) : digest;
        }
    }

    @Command(
            name = "inspect",
            description = {
                "Print what is known of a template, as JSON.",
                "",
                "Of one that was prepared, changedFiles are those of --copy-in that are gone or have changed on this host since."
            })
    private static final class Inspect implements Callable<Integer> {
        @Parameters(paramLabel = "NAME", description = "Name of the template.")
        private String name = "";

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                Optional<SnapshotInfo> prepared = prepared(cloche, name);
                JsonOutput.print(System.out, json -> {
                    if (prepared.isPresent()) {
                        List<String> changed = cloche.templates().changedFiles(name).stream()
                                .map(Path::toString)
                                .toList();
                        json.object(() -> Fields.of(json, prepared.get()).field("changedFiles", changed));
                    } else {
                        Fields.write(json, cloche.templates().get(name));
                    }
                });
            }
            return ExitCodes.OK;
        }
    }

    private static Optional<SnapshotInfo> prepared(Cloche cloche, String name) {
        return cloche.templates().prepared().stream()
                .filter(template -> template.name().equals(name))
                .findFirst();
    }

    @Command(
            name = "make",
            customSynopsis = {
                "cloche template make [OPTIONS] IMAGE",
                "cloche template make --as NAME [STEPS] [OPTIONS] IMAGE"
            },
            description = {
                "Make the template of an image and a size, unless there is one, and print its name. This happens by itself after"
                        + " the first run of an image in a size.",
                "",
                "With --as, prepare one under a name, in place of an earlier one: what --copy-in, --run and --start do in it is in"
                        + " each sandbox of cloche run --template NAME from the beginning, and what was started runs on there."
                        + " /bin/sh of the image runs the commands.",
                ""
            },
            footerHeading = "%nExample:%n",
            footer = {
                "  cloche template make python:3.13 --as api --copy-in app:/srv/app --run 'pip install flask' \\",
                "      --network user --start 'exec python3 /srv/app/main.py' --ready-port 8000"
            })
    private static final class Make implements Callable<Integer> {
        @Parameters(paramLabel = "IMAGE", description = "The image, as for cloche run.")
        private String image = "";

        @Mixin
        private SizeOptions size = new SizeOptions();

        @Option(
                names = "--network",
                paramLabel = "NAME",
                description = "Of sandboxes with this network: none or user (default: ${DEFAULT-VALUE}).",
                defaultValue = "none")
        private Network network = Network.NONE;

        @Option(
                names = "--disk",
                paramLabel = "SIZE",
                description = "Of ephemeral sandboxes with a disk of this size.",
                converter = MemorySize.class)
        private @Nullable Integer disk;

        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress of a pull.")
        private boolean quiet;

        @Mixin
        private RecipeOptions recipe = new RecipeOptions();

        @Override
        public Integer call() {
            if (recipe.wanted()) {
                try (Cloche cloche = Cloche.open()) {
                    Templates.Preparation preparation = cloche.templates()
                            .prepare(recipe.name(), image)
                            .memoryMib(size.memory())
                            .cpus(size.cpus())
                            .network(network)
                            .diskMib(disk == null ? 0 : disk);
                    System.out.println(recipe.make(preparation, quiet).name());
                }
                return ExitCodes.OK;
            }
            made().ifPresentOrElse(
                            template -> System.out.println(template.name()),
                            () -> System.err.println("cloche: another process makes it just now"));
            return ExitCodes.OK;
        }

        private Optional<Template> made() {
            try (Cloche cloche = Cloche.open();
                    ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                return cloche.templates()
                        .make(cloche.sandbox(image)
                                .memoryMib(size.memory())
                                .cpus(size.cpus())
                                .network(network)
                                .diskMib(disk == null ? 0 : disk)
                                .progress(progress));
            }
        }
    }

    @Command(name = "rm", description = "Remove templates. Sandboxes of them boot then, and others are made.")
    private static final class Rm implements Callable<Integer> {
        @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of templates.")
        private List<String> names = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                return Each.of(names, name -> remove(cloche, name));
            }
        }
    }

    private static void remove(Cloche cloche, String name) {
        if (prepared(cloche, name).isPresent()) {
            cloche.snapshots().remove(name);
        } else {
            cloche.templates().remove(name);
        }
    }

    @Command(
            name = "prune",
            description =
                    "Remove the templates that no sandbox runs from, but those with a name of --as, and print their names.")
    private static final class Prune implements Callable<Integer> {
        @Option(
                names = "--unused-for",
                paramLabel = "TIME",
                converter = TimeSpan.class,
                description = "Only those that no sandbox was started from for so long, and those whose image is gone.")
        private Duration unusedFor = Duration.ZERO;

        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                List<String> removed = cloche.templates().prune(unusedFor);
                if (format.json()) {
                    JsonOutput.print(System.out, json -> json.object(() -> json.field("templates", removed)));
                } else {
                    removed.forEach(System.out::println);
                }
            }
            return ExitCodes.OK;
        }
    }

    /** Writes the fields of a template. */
    private static final class Fields {
        private Fields() {}

        static void write(JsonOutput json, Template template) {
            json.object(() -> json.field("name", template.name())
                    .field("image", template.image())
                    .field("memoryMib", template.memoryMib())
                    .field("cpus", template.cpus())
                    .field("createdAt", template.createdAt())
                    .field("lastUsedAt", template.lastUsedAt())
                    .field("usable", template.usable()));
        }

        static void write(JsonOutput json, SnapshotInfo prepared) {
            json.object(() -> of(json, prepared));
        }

        private static JsonOutput of(JsonOutput json, SnapshotInfo prepared) {
            return json.field("name", prepared.name())
                    .field("image", prepared.digest())
                    .field("reference", prepared.image())
                    .field("memoryMib", prepared.memoryMib())
                    .field("cpus", prepared.cpus())
                    .field("createdAt", prepared.createdAt())
                    .field("prepared", true);
        }
    }
}
