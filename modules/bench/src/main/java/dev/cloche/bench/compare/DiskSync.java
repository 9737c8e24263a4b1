package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.WritableLayer;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures what {@code fsync} costs a guest: on a persistent disk, whose flushes reach the host's, on a disk that ends
 * with its VM, whose flushes do not, and in memory. Beside them the same program on the host, on the file system that
 * has the disks.
 */
public final class DiskSync {
    private static final int WRITES = 20;
    private static final int SIZE_MIB = 256;

    private final Setting setting;

    public DiskSync(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path program = setting.directory().resolve("sync");
        setting.compile("sync.c", program);
        Path home = Files.createTempDirectory(setting.directory(), "persistent");
        PersistentDisk disk;
        try (QemuProvider provider = setting.provider()) {
            disk = provider.disks().create(home.resolve("disk"), SIZE_MIB);
        }
        try (BenchVm persistent = BenchVm.boot(setting, disk.layer());
                BenchVm passing = BenchVm.boot(setting, WritableLayer.disk(SIZE_MIB));
                BenchVm memory = BenchVm.boot(setting, WritableLayer.inMemory())) {
            for (BenchVm vm : List.of(persistent, passing, memory)) {
                vm.install(program, "/root/sync");
            }
            List<Samples> samples = new Alternation()
                    .add("a guest on a persistent disk", () -> inGuest(persistent))
                    .add("a guest on a disk that ends with it", () -> inGuest(passing))
                    .add("a guest in memory", () -> inGuest(memory))
                    .add("the same program on the host", () -> onHost(program, home.resolve("written")))
                    .run(rounds * 4);
            report.heading("4 KiB appended and forced to disk by fsync");
            report.table(samples);
            report.note("Each sample is the mean of " + WRITES + " writes, by the clock of who writes.");
        }
    }

    private static long inGuest(BenchVm vm) throws IOException {
        return mean(vm.output("/root/sync", "/root/written", String.valueOf(WRITES)));
    }

    private static long onHost(Path program, Path file) throws IOException {
        Process process = new ProcessBuilder(program.toString(), file.toString(), String.valueOf(WRITES))
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return mean(new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
    }

    private static long mean(String total) {
        return Long.parseLong(total.strip()) / WRITES;
    }
}
