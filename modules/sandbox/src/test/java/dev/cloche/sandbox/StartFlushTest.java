package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How often a start has the disk flush the catalog, as the kernel is asked for it. */
class StartFlushTest {
    @TempDir
    Path directory;

    @Test
    void aStartWaitsForTheDiskOnlyWhereItsSandboxOutlivesACrashOfTheHost() throws Exception {
        List<String> calls = trace();
        assertThat(flushes(calls, "ephemeral"))
                .as("flushes for an ephemeral one")
                .isZero();
        // Its last record brings all that were written before to the disk.
        assertThat(flushes(calls, "named")).as("flushes for a named one").isEqualTo(1);
    }

    private static long flushes(List<String> calls, String what) {
        List<String> start = calls.subList(index(calls, "\"/begin-" + what), index(calls, "\"/end-" + what));
        return start.stream()
                .filter(call -> call.contains("sync(") && call.contains("catalog.db-wal>"))
                .count();
    }

    private static int index(List<String> calls, String name) {
        for (int i = 0; i < calls.size(); i++) {
            if (calls.get(i).contains(name)) {
                return i;
            }
        }
        throw new AssertionError("no call with " + name + " in " + calls.size());
    }

    private List<String> trace() throws IOException, InterruptedException {
        KillSetup setup = KillSetup.inMemory(directory);
        Path calls = directory.resolve("calls");
        List<String> command = new ArrayList<>(List.of(
                "strace",
                "-f",
                "-y",
                "-qq",
                "--seccomp-bpf",
                "-e",
                "trace=fsync,fdatasync,access,faccessat,%%stat",
                "-o"));
        command.add(calls.toString());
        command.addAll(setup.java(List.of()));
        command.addAll(List.of(
                FlushedStart.class.getName(),
                setup.freshRoot("traced").toString(),
                setup.layout().toString()));
        Path output = directory.resolve("output");
        try {
            Process traced = new ProcessBuilder(command)
                    .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            int code = traced.waitFor();
            Assumptions.assumeFalse(
                    Files.readString(output).contains("Operation not permitted"), "strace may not trace here");
            assertThat(code).as(Files.readString(output)).isZero();
        } catch (IOException e) {
            Assumptions.abort("strace is not installed: " + e.getMessage());
        }
        return Files.readAllLines(calls);
    }
}
