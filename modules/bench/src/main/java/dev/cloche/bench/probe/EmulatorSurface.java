package dev.cloche.bench.probe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Counts what a guest could use of a QEMU, and what QEMU uses of the host's kernel. */
public final class EmulatorSurface {
    /** Has how many kinds of system calls there were, and how many calls. */
    public record Calls(int kinds, long all) {}

    private static final Path STRACE = Path.of("/usr/bin/strace");
    private static final Pattern CALL = Pattern.compile("^\\d+ +([a-z_0-9]+)\\(");

    private EmulatorSurface() {}

    /** Returns whether system calls can be counted on this host. */
    public static boolean countsCalls() {
        return Files.isExecutable(STRACE);
    }

    /** Counts the kinds of devices that a QEMU has, without its processors. */
    public static long devices(Path qemu) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(qemu.toString(), "-device", "help")
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> lines;
        try (var reader = process.inputReader()) {
            lines = reader.lines().toList();
        }
        if (process.waitFor() != 0) {
            throw new IOException(qemu + " does not list its devices");
        }
        boolean processors = false;
        long count = 0;
        for (String line : lines) {
            if (line.endsWith("devices:")) {
                processors = line.equals("CPU devices:");
            } else if (!processors && line.startsWith("name ")) {
                count++;
            }
        }
        return count;
    }

    /** Counts the system calls of all threads of a QEMU from its start to the end of a guest's first {@code true}. */
    public static Calls callsUntilTrue(BareQemu qemu, Path directory) throws IOException, InterruptedException {
        Path trace = directory.resolve("calls");
        qemu.runTrueBelow(List.of(STRACE.toString(), "-f", "-qq", "-o", trace.toString()));
        Set<String> kinds = new HashSet<>();
        long all = 0;
        try (Stream<String> lines = Files.lines(trace)) {
            for (String line : (Iterable<String>) lines::iterator) {
                Matcher call = CALL.matcher(line);
                if (call.find()) {
                    kinds.add(call.group(1));
                    all++;
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            Files.delete(trace);
        }
        return new Calls(kinds.size(), all);
    }
}
