package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.machine.config.MachineStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that update one machine at once. */
class MachineProcessesTest {
    private static final int PROCESSES = 8;
    private static final int UPDATES = 25;

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void noUpdateOfEightProcessesIsLostAndACommentStays() throws Exception {
        Path base = directory.resolve("machines");
        MachineStore store = new MachineStore(base);
        SampleMachines.save(store, SampleMachines.plain("web"));
        Path file = base.resolve("web/config.toml");
        Files.writeString(file, "# mine\n" + Files.readString(file) + "[mine]\nkey = 1 # too\n");

        Map<String, String> expected = new TreeMap<>();
        for (int i = 0; i < PROCESSES; i++) {
            // Each counts a label of its own and all count one together.
            String key = i % 2 == 0 ? "shared" : "own" + i;
            expected.merge(
                    key, String.valueOf(UPDATES), (a, b) -> String.valueOf(Integer.parseInt(a) + Integer.parseInt(b)));
            started.add(OtherJvm.start(
                    directory.resolve("log" + i),
                    StoreProcess.class,
                    base.toString(),
                    "update",
                    key,
                    String.valueOf(UPDATES)));
        }
        for (Process process : started) {
            assertThat(process.inputReader().readLine()).startsWith("ready");
        }
        for (Process process : started) {
            process.outputWriter().append('\n').close();
        }
        for (int i = 0; i < PROCESSES; i++) {
            assertThat(started.get(i).waitFor())
                    .as(Files.readString(directory.resolve("log" + i)))
                    .isZero();
        }
        assertThat(store.load(SampleMachines.WEB).settings().labels()).isEqualTo(expected);
        assertThat(file).content().startsWith("# mine\n").contains("key = 1 # too");
        assertThat(base.resolve("web")).isDirectoryNotContaining("glob:**/.tmp-*");
    }
}
