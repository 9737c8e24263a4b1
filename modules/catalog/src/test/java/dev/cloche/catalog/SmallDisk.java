package dev.cloche.catalog;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A file system of its own in memory, to be filled to the last byte. Only root can mount one. */
record SmallDisk(Path root) {
    static SmallDisk of(String size) throws IOException, InterruptedException {
        Path root = Files.createTempDirectory("cloche-small");
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + size, "none", root.toString());
        if (!mounted) {
            Files.delete(root);
        }
        Assumptions.assumeTrue(mounted, "only root can mount a small file system");
        return new SmallDisk(root);
    }

    /** Leaves not one byte. */
    void fill() throws IOException {
        try (OutputStream out = Files.newOutputStream(root.resolve("filler-" + System.nanoTime()))) {
            byte[] page = new byte[4096];
            while (true) {
                out.write(page);
            }
        } catch (IOException full) {
            if (root.toFile().getUsableSpace() != 0) {
                throw full;
            }
        }
    }

    void remount(String options) throws IOException, InterruptedException {
        if (!run("mount", "-o", "remount," + options, root.toString())) {
            throw new IOException("remount " + options);
        }
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(List.of(command))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    void unmount() throws IOException, InterruptedException {
        run("umount", root.toString());
        Files.delete(root);
    }
}
