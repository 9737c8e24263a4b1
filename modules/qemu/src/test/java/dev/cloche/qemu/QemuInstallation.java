package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.VmException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** What tests with real VMs need. */
public final class QemuInstallation {
    private static final Path BUSYBOX = Path.of("/bin/busybox");

    private QemuInstallation() {}

    /** The installation's; skips the test where something is missing. */
    public static VmResources resources() {
        try {
            return required();
        } catch (VmException.MissingResource missing) {
            return Assumptions.abort(missing.getMessage());
        }
    }

    /**
     * The installation's, for a test that must not be skipped.
     *
     * @throws VmException.MissingResource if something is missing
     */
    static VmResources required() {
        Path share = Path.of(System.getProperty("cloche.share", "dist/share"))
                .toAbsolutePath()
                .normalize();
        return VmResources.find(List.of(share));
    }

    /** The installation's; skips the test where something is missing, passt included. */
    static VmResources withPasst() {
        VmResources resources = resources();
        Assumptions.assumeTrue(resources.passt().isPresent(), "passt is not installed");
        return resources;
    }

    /** The same disk, with the program that sends what no kernel would. */
    static Path diskWithNetprobe(Path directory) throws Exception {
        return diskWith("netprobe", directory);
    }

    /** The same disk, with a program of {@code src/test/c}. */
    static Path diskWith(String name, Path directory) throws Exception {
        Path program = directory.resolve(name);
        Process gcc = new ProcessBuilder("gcc", "-static", "-O1", "-o", program.toString(), "src/test/c/" + name + ".c")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("gcc.log").toFile())
                .start();
        Assumptions.assumeTrue(gcc.waitFor() == 0, name + " cannot be compiled");
        return disk(directory, program);
    }

    /** Makes a disk with a busybox below a directory; skips the test where there is none. */
    public static Path disk(Path directory, Path... programs) throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(BUSYBOX), "there is no static busybox (Debian: busybox-static)");
        Path root = Files.createDirectory(directory.resolve("root"));
        for (String name : List.of("bin", "etc", "tmp", "root", "dev", "proc", "sys")) {
            Files.createDirectory(root.resolve(name));
        }
        Files.copy(BUSYBOX, root.resolve("bin/busybox"));
        for (String name : List.of(
                "true", "false", "echo", "cat", "sleep", "env", "pwd", "hostname", "yes", "seq", "sh", "stty", "nc")) {
            Files.createSymbolicLink(root.resolve("bin/" + name), Path.of("busybox"));
        }
        for (Path program : programs) {
            Files.copy(program, root.resolve("bin").resolve(program.getFileName()));
        }
        Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
        Files.writeString(root.resolve("etc/group"), "root:x:0:\n");
        Path disk = directory.resolve("root, with a comma.erofs");
        Path log = directory.resolve("mkfs.log");
        Process mkfs = new ProcessBuilder("mkfs.erofs", disk.toString(), root.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(mkfs.waitFor()).as(Files.readString(log)).isZero();
        return disk;
    }
}
