package dev.cloche.sandbox;

import dev.cloche.base.DurableFiles;
import dev.cloche.image.TestImage;
import dev.cloche.vm.testing.InstrumentedProgram;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What all victims of a harness share: the woven program, its archive of loaded classes, an image, and a state root to copy. */
final class KillSetup {
    static final String STEPS = "steps ";
    private static final String LIBRARY = "libsqlitejdbc.so";

    private final Path directory;
    private final KillWorld world;
    private final Path layout;
    private final Path template;
    private final String classPath;

    private KillSetup(Path directory, KillWorld world, Path layout) throws IOException, InterruptedException {
        this.directory = directory;
        this.world = world;
        this.layout = layout;
        classPath = InstrumentedProgram.write(
                directory.resolve("woven.jar"),
                // They make the directories of the room vm.
                List.of("dev/cloche/sandbox/FiledVms"));
        template = directory.resolve("template");
        unpackSqlite();
        Files.createDirectories(template);
        // The image is made ready to boot once; how that survives kills is its room's to show.
        try (KillRuntime runtime = open(template)) {
            KillScenario.EPHEMERAL.play(runtime);
        }
        rehearse(freshRoot("archive"), KillScenario.NAMED, true);
    }

    static KillSetup inMemory(Path directory) throws IOException, InterruptedException {
        Path layout = new TestImage()
                .layer(TestImage.Compression.NONE, Map.of("etc/name", "base"))
                .config("")
                .writeLayout(directory.resolve("layout"), "base");
        return new KillSetup(directory, KillWorld.MEMORY, layout);
    }

    static KillSetup ofQemu(Path directory) throws IOException, InterruptedException {
        return new KillSetup(directory, KillWorld.QEMU, KillWorld.share().resolve("images/base"));
    }

    KillWorld world() {
        return world;
    }

    private void unpackSqlite() throws IOException {
        try (InputStream library = Objects.requireNonNull(
                org.sqlite.SQLiteConfig.class.getResourceAsStream("native/Linux/x86_64/" + LIBRARY))) {
            Files.copy(library, directory.resolve(LIBRARY));
        }
    }

    KillRuntime open(Path root) {
        return KillRuntime.open(root, layout, world);
    }

    /** A state root like no other's, in which nothing has happened yet. */
    Path freshRoot(String name) throws IOException {
        Path root = directory.resolve(name);
        try (Stream<Path> files = Files.walk(template)) {
            for (Path file : files.toList()) {
                Path copy = root.resolve(template.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    DurableFiles.ensureDirectory(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
        return root;
    }

    /** Plays a scenario to its end in a process of its own; the JVM archives what it loaded. @return how many steps it had */
    int rehearse(Path root, KillScenario scenario, boolean archive) throws IOException, InterruptedException {
        List<String> options = archive ? List.of("-XX:AOTCacheOutput=" + archive()) : List.of();
        Played played = play(root, scenario, options);
        return played.output()
                .lines()
                .filter(line -> line.startsWith(STEPS))
                .findFirst()
                .filter(_ -> played.exitCode() == 0)
                .map(line -> Integer.parseInt(line.substring(STEPS.length())))
                .orElseThrow(() -> new IllegalStateException(scenario + " does not come to its end: " + played));
    }

    /** How to start a JVM that has the woven program, but for the class and its arguments. */
    List<String> java(List<String> options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "-Dcloche.share=" + KillWorld.share().toAbsolutePath(),
                "-Dorg.sqlite.lib.path=" + directory,
                "-Dorg.sqlite.lib.name=" + LIBRARY));
        if (Files.exists(archive())) {
            command.add("-XX:AOTCache=" + archive());
        }
        command.addAll(options);
        command.addAll(List.of("-cp", classPath));
        return command;
    }

    private Path archive() {
        return directory.resolve("victim.aot");
    }

    Path layout() {
        return layout;
    }

    /** How a victim ended. */
    record Played(int exitCode, String lastLine, String output) {
        boolean killed() {
            return exitCode == 128 + 9;
        }
    }

    /** Plays a scenario in a process that is killed at a step. */
    Played killAt(int step, Path root, KillScenario scenario) throws IOException, InterruptedException {
        return play(root, scenario, List.of("-Dkill.at=" + step));
    }

    private Played play(Path root, KillScenario scenario, List<String> options)
            throws IOException, InterruptedException {
        List<String> command = java(options);
        command.addAll(
                List.of(KillVictim.class.getName(), root.toString(), layout.toString(), scenario.name(), world.name()));
        File output = root.resolve("output").toFile();
        Process victim = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        victim.getOutputStream().close();
        try {
            if (!victim.waitFor(3, TimeUnit.MINUTES)) {
                throw new IllegalStateException(scenario + " hangs: " + Files.readString(output.toPath()));
            }
        } finally {
            victim.destroyForcibly().waitFor();
        }
        String text = new String(Files.readAllBytes(output.toPath()), StandardCharsets.UTF_8).strip();
        return new Played(victim.exitValue(), text.substring(text.lastIndexOf('\n') + 1), text);
    }
}
