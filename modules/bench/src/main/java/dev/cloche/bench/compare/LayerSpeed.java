package dev.cloche.bench.compare;

import dev.cloche.bench.probe.LayoutImport;
import dev.cloche.bench.probe.ProcessTimer;
import dev.cloche.bench.probe.PythonImage;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.probe.Trees;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.linux.FastGunzip;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * Measures from a compressed layer on the disk to its EROFS image, without a registry: beside its decompressor alone,
 * {@code gzip} alone, and {@code mkfs.erofs} of the files after they were unpacked. Then what it writes and
 * what it needs of the heap, in a JVM that has 128 MiB of it.
 */
public final class LayerSpeed {
    private static final double MIB = 1 << 20;

    private final Setting setting;
    private final PythonImage image;

    public LayerSpeed(Setting setting, PythonImage image) {
        this.setting = setting;
        this.image = image;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path layer = image.layer();
        long plain = decompressed(layer);
        report.heading(
                "A layer of %.0f MiB (%.0f MiB compressed) to EROFS".formatted(plain / MIB, Files.size(layer) / MIB));
        Path files = Files.createTempDirectory(setting.directory(), "files");
        ProcessTimer.time(
                Map.of(),
                "tar",
                "-xpf",
                setting.root().resolve("target/bench/debian-python.tar").toString(),
                "-C",
                files.toString(),
                "--exclude=./dev/*");
        Alternation turns = new Alternation().add("layer to EROFS in a running JVM, on the disk", this::convert);
        if (FastGunzip.installed()) {
            turns.add("its decompressor alone, ISA-L", () -> time(() -> FastGunzip.of(Files.newInputStream(layer))));
        }
        turns.add(
                "the JDK's decompressor alone",
                () -> time(() -> new GZIPInputStream(Files.newInputStream(layer), 1 << 16)));
        if (ProcessTimer.installed("mkfs.erofs")) {
            Path target = setting.directory().resolve("mkfs.erofs");
            turns.add(
                    "`mkfs.erofs` of the unpacked files",
                    () -> ProcessTimer.time(Map.of(), "mkfs.erofs", target.toString(), files.toString()));
        }
        turns.add("`gzip -dc` alone", () -> ProcessTimer.time(Map.of(), "gzip", "-dc", layer.toString()));
        report.table(turns.run(rounds));
        report.note(need(plain));
    }

    private long convert() throws IOException {
        Path store = Files.createTempDirectory(setting.directory(), "convert");
        try {
            return LayoutImport.time(image.layout(), store);
        } finally {
            Trees.delete(store);
        }
    }

    /** Measures the need of an import in a JVM of its own, so that nothing else is counted. */
    private String need(long plain) throws IOException, InterruptedException {
        Path store = Files.createTempDirectory(setting.directory(), "need");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LayoutImport.class.getName(),
                        image.layout().toString(),
                        store.toString())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String answer;
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            answer = String.valueOf(out.readLine());
        }
        if (process.waitFor() != 0) {
            throw new IllegalStateException("the import with a heap of 128 MiB failed");
        }
        String[] numbers = answer.split(" ", 2);
        long written = Long.parseLong(numbers[0]);
        return "With `-Xmx128m`: %.0f MiB of the heap used at most; %.0f MiB written to the disk in all for an archive of %.0f MiB (%.2f), of which images %.0f MiB."
                .formatted(
                        Long.parseLong(numbers[1]) / MIB,
                        written / MIB,
                        plain / MIB,
                        (double) written / plain,
                        Trees.bytes(store.resolve("cache")) / MIB);
    }

    @FunctionalInterface
    private interface Opening {
        InputStream open() throws IOException;
    }

    private static long time(Opening opening) throws IOException {
        byte[] buffer = new byte[256 * 1024];
        long begin = System.nanoTime();
        try (InputStream stream = opening.open()) {
            while (stream.read(buffer) >= 0) {
                // Only to the end.
            }
        }
        return System.nanoTime() - begin;
    }

    private static long decompressed(Path layer) throws IOException {
        try (InputStream stream = new GZIPInputStream(Files.newInputStream(layer), 1 << 16)) {
            return stream.transferTo(java.io.OutputStream.nullOutputStream());
        }
    }
}
