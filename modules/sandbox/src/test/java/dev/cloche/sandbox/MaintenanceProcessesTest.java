package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.catalog.CatalogException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many processes on one state root. */
class MaintenanceProcessesTest {
    private static final int PROCESSES = 50;

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();
    private KillSetup setup;
    private Path root;

    @BeforeEach
    void prepare() throws Exception {
        setup = KillSetup.inMemory(directory);
        root = setup.freshRoot("shared");
    }

    @AfterEach
    void endProcesses() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void ofFiftyThatOpenAtOnceOneSweepsAndNoneMeetsALockedDatabase() throws Exception {
        try (KillRuntime runtime = setup.open(root)) {
            KillScenario.SWEEP.prepare(runtime);
        }
        for (int i = 0; i < PROCESSES; i++) {
            started.add(start("sweep"));
        }
        List<BufferedReader> outputs = new ArrayList<>();
        for (Process process : started) {
            outputs.add(process.inputReader());
            assertThat(outputs.getLast().readLine()).as(errors()).isEqualTo("ready");
        }
        for (Process process : started) {
            process.getOutputStream().close();
        }
        List<Long> opens = new ArrayList<>();
        int sweeps = 0;
        for (int i = 0; i < PROCESSES; i++) {
            String line = outputs.get(i).readLine();
            assertThat(started.get(i).waitFor()).as(errors()).isZero();
            opens.add(Long.parseLong(line.substring(0, line.indexOf(' '))));
            sweeps += line.endsWith("SWEPT") ? 1 : 0;
        }
        assertThat(sweeps).isEqualTo(1);
        assertThat(errors()).isEmpty();
        opens.sort(Long::compare);
        System.out.println(PROCESSES + " processes opened one state root at once: p50 "
                + opens.get(PROCESSES / 2) / 1000 + " ms, p99 " + opens.getLast() / 1000 + " ms, one sweep");
    }

    @Test
    void aKilledCommandThatChangedTheInstallationKeepsNoProcessOut() throws Exception {
        Process installer = start("install");
        started.add(installer);
        BufferedReader output = installer.inputReader();
        assertThat(output.readLine()).as(errors()).isEqualTo("ready");
        assertThat(output.readLine()).as(errors()).isEqualTo("held");
        assertThatThrownBy(() -> setup.open(root)).isInstanceOf(CatalogException.InstallInProgress.class);
        installer.destroyForcibly().waitFor();
        setup.open(root).close();
    }

    private Process start(String what) throws IOException {
        List<String> command = setup.java(List.of("-Xmx48m"));
        command.addAll(List.of(
                SweepingProcess.class.getName(), root.toString(), setup.layout().toString(), what));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("errors").toFile()))
                .start();
    }

    private String errors() throws IOException {
        Path errors = directory.resolve("errors");
        return Files.exists(errors) ? Files.readString(errors) : "";
    }
}
