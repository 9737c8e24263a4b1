package dev.cloche.sandbox;

import dev.cloche.base.DurableFiles;
import dev.cloche.image.TestImage;
import dev.cloche.vm.testing.KillableProgram;
import dev.cloche.vm.testing.PlayedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What all victims of a harness share: the woven program, its archive of loaded classes, an image, and a state root to copy. */
final class KillSetup {
    private final Path directory;
    private final KillWorld world;
    private final Path layout;
    private final Path template;
    private final KillableProgram program;

    private KillSetup(Path directory, KillWorld world, Path layout) throws IOException, InterruptedException {
        this.directory = directory;
        this.world = world;
        this.layout = layout;
        program = KillableProgram.write(
                directory,
                KillVictim.class,
                List.of("-Dcloche.share=" + KillWorld.share().toAbsolutePath()),
                // They make the directories of the room vm.
                List.of("dev/cloche/sandbox/FiledVms"));
        template = Files.createDirectories(directory.resolve("template"));
        // The image is made ready to boot once; how that survives kills is its room's to show.
        try (KillRuntime runtime = open(template)) {
            KillScenario.EPHEMERAL.play(runtime);
        }
        Path root = freshRoot("archive");
        program.archive(output(root), arguments(root, KillScenario.NAMED));
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

    /** Plays a scenario to its end in a process of its own. @return how many steps it had */
    int rehearse(Path root, KillScenario scenario) throws IOException, InterruptedException {
        return program.rehearse(output(root), arguments(root, scenario));
    }

    /** Plays a scenario in a process that is killed at a step. */
    PlayedProgram killAt(int step, Path root, KillScenario scenario) throws IOException, InterruptedException {
        return program.killAt(step, output(root), arguments(root, scenario));
    }

    /** How to start a JVM that has the woven program, but for the class and its arguments. */
    List<String> java(List<String> options) {
        return program.java(options);
    }

    Path layout() {
        return layout;
    }

    private static Path output(Path root) {
        return root.resolve("output");
    }

    private String[] arguments(Path root, KillScenario scenario) {
        return new String[] {root.toString(), layout.toString(), scenario.name(), world.name()};
    }
}
