package dev.cloche.bench.probe;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.HealthCheck;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmCapabilities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Has what all benchmarks share: the installation, and a state root of their own with the image {@code base} in it.
 *
 * @param directory for temporary files; removed at the end
 * @param disk of the image
 * @param accelerator as QEMU names it
 * @param cpu the processor that guests get, in QEMU's terms
 */
public record Setting(Path root, Path directory, Path home, Path disk, String accelerator, String cpu, String machine) {
    public static Setting prepare(Path root, Path directory) throws IOException {
        Path home = directory.resolve("home");
        ClocheOptions options = options(root, home);
        try (Cloche cloche = Cloche.open(options)) {
            cloche.images().pull("base");
        }
        List<HealthCheck> checks = Cloche.examine(options);
        String accelerator = checks.stream()
                .filter(check -> check.name().equals("accelerator"))
                .map(HealthCheck::finding)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("this host cannot run VMs: " + checks));
        String machine = Runtime.getRuntime().availableProcessors() + " cores, Linux "
                + System.getProperty("os.version") + ", Java " + Runtime.version() + ", " + accelerator;
        VmCapabilities capabilities = capabilities(options);
        return new Setting(
                root,
                directory,
                home,
                onlyDisk(home),
                capabilities.accelerator() == Accelerator.KVM ? "kvm" : "tcg",
                capabilities.cpu(),
                machine);
    }

    private static VmCapabilities capabilities(ClocheOptions options) {
        try (QemuProvider provider = new QemuProvider(VmLayout.of(options.home()), VmResources.find(options.share()))) {
            return provider.capabilities();
        }
    }

    public ClocheOptions options() {
        return options(root, home);
    }

    /** Returns the provider of VMs below the state root, with the kernel in use. */
    public QemuProvider provider() {
        return new QemuProvider(VmLayout.of(home), VmResources.find(List.of(share())));
    }

    public Launcher launcher() {
        return new Launcher(root.resolve("cloche"), home);
    }

    public Path share() {
        return root.resolve("dist/share");
    }

    /** Compiles a program of the benchmarks for a guest, statically. */
    public void compile(String source, Path target) throws IOException, InterruptedException {
        run(
                "gcc",
                "-O2",
                "-static",
                "-o",
                target.toString(),
                guestSource(source).toString());
    }

    /** Returns a program of the benchmarks for a guest, as it is in this repository. */
    public Path guestSource(String name) {
        return root.resolve("modules/bench/src/guest").resolve(name);
    }

    /** Runs a program, whose failure is one of the benchmark. */
    public static void run(String... command) throws IOException, InterruptedException {
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IllegalStateException(command[0] + " ended with " + code);
        }
    }

    private static ClocheOptions options(Path root, Path home) {
        return ClocheOptions.ofEnvironment()
                .withHome(home)
                .withShare(root.resolve("dist/share"))
                .withTemplateMaking(new TemplateMaking.Never());
    }

    private static Path onlyDisk(Path home) throws IOException {
        return only(home.resolve("cache/vmdk"), ".vmdk");
    }

    /**
     * Returns the image's one layer, which is an EROFS file system by itself: what snapshots are taken with, because QEMU does
     * not save a guest that has a VMDK.
     */
    public RootDisk layer() throws IOException {
        return RootDisk.raw(only(home.resolve("cache/layers"), ".erofs"));
    }

    private static Path only(Path directory, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
