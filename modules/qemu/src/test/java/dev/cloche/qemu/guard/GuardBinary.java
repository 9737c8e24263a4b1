package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The guard, compiled from its sources for the tests. */
public final class GuardBinary {
    private static final Path SOURCES = Path.of("../../guard/src");

    /** Where the guard has the sum of a frame from. */
    private static final Path AGENT = Path.of("../../guest/src");

    private GuardBinary() {}

    /** Compiles into {@code target}; skips the test where there is no gcc. */
    public static Path compile() throws IOException, InterruptedException {
        return compile("cloche-guard", List.of());
    }

    /** One whose seconds are shorter where it looks whether its program works. */
    public static Path compileHasty() throws IOException, InterruptedException {
        return compile("hasty-guard", List.of("-DSECOND_MS=50"));
    }

    /** One that gives up soon what it waits for at a limit. */
    static Path compileImpatient() throws IOException, InterruptedException {
        return compile("impatient-guard", List.of("-DSECOND_MS=50", "-DHALT_PATIENCE_MS=2000", "-DHELD_MS=500"));
    }

    /** One that writes down which calls of its program it was asked about, to the file {@code asked} of the VM's directory. */
    public static Path compileCounting() throws IOException, InterruptedException {
        return compile("counting-guard", List.of("../../guard/test/counting.c", "-Wl,--wrap=ioctl"));
    }

    /** What stands in the place of a QEMU that says nothing. */
    public static Path compileSilent() throws IOException, InterruptedException {
        return compile("silent", List.of("-static"), List.of(Path.of("src/test/c/silent.c")));
    }

    /** What stands in the place of a QEMU that its guest has broken into. */
    public static Path compileHostile() throws IOException, InterruptedException {
        return compile("hostile", List.of("-static"), List.of(Path.of("src/test/c/hostile.c")));
    }

    private static Path compile(String name, List<String> options) throws IOException, InterruptedException {
        try (Stream<Path> sources = Files.list(SOURCES)) {
            return compile(
                    name,
                    options,
                    Stream.concat(sources, Stream.of(AGENT.resolve("wire/crc32.c")))
                            .filter(file -> file.toString().endsWith(".c"))
                            .toList());
        }
    }

    private static Path compile(String name, List<String> options, List<Path> sources)
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(hasGcc(), "gcc is not installed, the guard cannot be compiled");
        var binary = Path.of("target/guard-test", name).toAbsolutePath();
        Files.createDirectories(binary.getParent());
        // Tests of another process start the one that is there while this one is linked.
        var linked = binary.resolveSibling(name + "." + ProcessHandle.current().pid());
        var command = new ArrayList<>(List.of(
                "gcc",
                "-std=gnu11",
                "-D_GNU_SOURCE",
                "-O1",
                "-Wall",
                "-Wextra",
                "-iquote",
                AGENT.toString(),
                "-o",
                linked.toString()));
        command.addAll(options);
        sources.forEach(source -> command.add(source.toString()));
        var log = linked.resolveSibling(linked.getFileName() + ".log");
        var gcc = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(gcc.waitFor()).as(() -> "gcc, see " + log).isZero();
        Files.move(linked, binary, StandardCopyOption.ATOMIC_MOVE);
        return binary;
    }

    private static boolean hasGcc() throws InterruptedException {
        try {
            return new ProcessBuilder("gcc", "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
