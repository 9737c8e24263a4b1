package dev.cloche.bench.compare;

import dev.cloche.base.Deadline;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.runtime.RuntimeArtefact;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Measures the runtime artefact's first use on a host, which unpacks it, and a later one, beside the same entries of the jar
 * copied to files that are forced to disk.
 */
public final class RuntimeUnpacks {
    private static final String FILES = "META-INF/cloche/runtime/files/";

    private final Setting setting;

    public RuntimeUnpacks(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path jar = jar();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar.toUri().toURL()}, RuntimeUnpacks.class.getClassLoader())) {
            RuntimeArtefact artefact = RuntimeArtefact.find(loader).orElseThrow();
            Path used = Files.createTempDirectory(setting.directory(), "used");
            artefact.unpacked(used, Deadline.none());
            report.heading("The runtime artefact: from the jar to files that VMs can be made with");
            report.table(new Alternation()
                    .add("a first use: unpacked", () -> first(artefact))
                    .add("a later use", () -> timed(() -> artefact.unpacked(used, Deadline.none())))
                    .add("its entries copied and forced to disk", () -> copied(jar))
                    .warmUp(3)
                    .run(rounds));
            report.note("The jar has " + (Files.size(jar) >> 20) + " MiB.");
        }
    }

    /** Makes the artefact as the release does, of what this clone runs with. */
    private Path jar() throws IOException, InterruptedException {
        Path directory = setting.directory().resolve("artefact");
        Setting.run(
                setting.root().resolve("lib/runtime-artefact.sh").toString(),
                setting.share().toString(),
                directory.toString());
        Path jar = setting.directory().resolve("runtime.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(directory.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }

    private long first(RuntimeArtefact artefact) throws Exception {
        Path cache = Files.createTempDirectory(setting.directory(), "first");
        return timed(() -> artefact.unpacked(cache, Deadline.none()));
    }

    private long copied(Path artefact) throws Exception {
        Path target = Files.createTempDirectory(setting.directory(), "copied");
        try (JarFile jar = new JarFile(artefact.toFile())) {
            return timed(() -> copy(jar, target));
        }
    }

    private static void copy(JarFile jar, Path target) throws IOException {
        byte[] buffer = new byte[64 * 1024];
        Enumeration<JarEntry> entries = jar.entries();
        while (entries.hasMoreElements()) {
            JarEntry entry = entries.nextElement();
            if (!entry.getName().startsWith(FILES) || entry.isDirectory()) {
                continue;
            }
            Path file = target.resolve(entry.getName().substring(FILES.length()).replace('/', '_'));
            try (InputStream in = jar.getInputStream(entry);
                    FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                    out.write(ByteBuffer.wrap(buffer, 0, n));
                }
                out.force(true);
            }
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static long timed(Step step) throws Exception {
        long begin = System.nanoTime();
        step.run();
        return System.nanoTime() - begin;
    }
}
