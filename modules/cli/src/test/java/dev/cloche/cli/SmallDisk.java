package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Mounts a small file system for the state root of a class of tests, and unmounts it when what ran on it has been removed. */
final class SmallDisk implements BeforeAllCallback, AfterAllCallback {
    private final String size;
    private final List<String> sandboxes;
    private Path home = Path.of("");
    private Program cloche = Program.in(home);
    private boolean mounted;

    /**
     * @param size for {@code mount}, as {@code 200m}
     * @param sandboxes that are removed at the end, if they are still there
     */
    SmallDisk(String size, String... sandboxes) {
        this.size = size;
        this.sandboxes = List.of(sandboxes);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Assumptions.assumeTrue(Program.isRoot(), "only root can mount a small file system");
        home = Files.createTempDirectory("cloche-disk");
        Program.run(List.of("mount", "-t", "tmpfs", "-o", "mode=700,size=" + size, "none", home.toString()));
        mounted = true;
        cloche = Program.in(home);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (mounted) {
            sandboxes.forEach(name -> cloche.run("rm", "-f", name));
            Program.run(List.of("umount", home.toString()));
            Files.delete(home);
        }
    }

    /** Returns the state root, which is the root of the file system. */
    Path home() {
        return home;
    }

    Program cloche() {
        return cloche;
    }

    /** Runs a command that succeeds. */
    Result good(String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode())
                .as("%s: %s", String.join(" ", arguments), result)
                .isZero();
        return result;
    }

    /** @param options for {@code mount}, as {@code size=300m} or {@code ro} */
    void remount(String options) throws IOException, InterruptedException {
        Program.run(List.of("mount", "-o", "remount," + options, home.toString()));
    }

    /** Fills the file system until at most {@code left} bytes are free, and returns the file that does. */
    Path fill(long left) throws IOException {
        Path filler = home.resolve("filler-" + System.nanoTime());
        byte[] page = new byte[4096];
        try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw")) {
            for (long free = free(); free > left; free = free()) {
                file.write(page, 0, (int) Math.min(page.length, free - left));
            }
        } catch (IOException e) {
            // A guest may have written meanwhile.
            if (free() > left) {
                throw e;
            }
        }
        return filler;
    }

    private long free() {
        return home.toFile().getUsableSpace();
    }
}
