package dev.cloche.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A Debian 12 with some packages, made by {@code mmdebstrap} and packed by {@code umoci}; kept in {@code target/} between
 * runs.
 */
record DebianImage(String name, Path layout) {
    private static final String TAG = "12";

    /** Skips the test if it is not there yet and cannot be made. */
    static DebianImage of(String name, List<String> packages, Path workspace) throws IOException, InterruptedException {
        for (String tool : List.of("mmdebstrap", "umoci", "skopeo", "docker-registry")) {
            Assumptions.assumeTrue(onPath(tool), tool + " is missing: run ./setup --tests");
        }
        Path layout = Program.root().resolve("modules/cli/target/fixtures").resolve(name);
        if (!Files.isDirectory(layout)) {
            Assumptions.assumeTrue(Program.isRoot(), "only root can make a Debian root file system");
            make(layout, packages, workspace.resolve("rootfs"));
        }
        return new DebianImage(name, layout);
    }

    /** Pushes it and answers the reference under which it can be pulled. */
    String push(LoopbackRegistry registry) throws IOException, InterruptedException {
        String reference = registry.host() + "/" + name + ":" + TAG;
        Program.run(List.of(
                "skopeo", "copy", "--dest-tls-verify=false", "oci:" + layout + ":" + TAG, "docker://" + reference));
        return reference;
    }

    private static void make(Path layout, List<String> packages, Path rootfs) throws IOException, InterruptedException {
        Path made = Files.createDirectories(layout.getParent()).resolve(layout.getFileName() + ".new");
        String image = made + ":" + TAG;
        Program.run(List.of(
                "mmdebstrap",
                "--variant=minbase",
                "--include=" + String.join(",", packages),
                "bookworm",
                rootfs.toString()));
        Program.run(List.of("rm", "-rf", made.toString()));
        Program.run(List.of("umoci", "init", "--layout", made.toString()));
        Program.run(List.of("umoci", "new", "--image", image));
        Program.run(List.of("umoci", "insert", "--image", image, rootfs.toString(), "/"));
        Program.run(List.of(
                "umoci",
                "config",
                "--image",
                image,
                "--config.cmd",
                "python3",
                "--config.env",
                "LANG=C.UTF-8",
                "--config.env",
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
        Files.move(made, layout);
        Program.run(List.of("rm", "-rf", rootfs.toString()));
    }

    private static boolean onPath(String tool) {
        return Stream.of(System.getenv("PATH").split(":", -1)).anyMatch(dir -> Files.isExecutable(Path.of(dir, tool)));
    }
}
