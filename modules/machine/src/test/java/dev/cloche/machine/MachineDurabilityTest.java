package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.machine.config.MachineStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A save is cut short at each of its system calls: by the writer's death, and by the host's. */
class MachineDurabilityTest {
    /** All that can change a file or a name, and all that a save does around it. */
    private static final String CALLS =
            "openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,"
                    + "link,linkat,mkdir,mkdirat,ftruncate,fchmod,chmod,close,flock,lseek";

    private static final MachineResources OLD = SampleMachines.full().resources();
    private static final MachineResources NEW = new MachineResources(63, 999, 9);

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void needsStrace() throws Exception {
        Path log = directory.resolve("probe");
        boolean works;
        try {
            works = new ProcessBuilder("strace", "-o", log.toString(), "true")
                            .redirectErrorStream(true)
                            .redirectOutput(directory.resolve("probe.out").toFile())
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException missing) {
            works = false;
        }
        Assumptions.assumeTrue(works, "strace is missing, or may not trace (Debian: strace)");
    }

    @AfterEach
    void endProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    private Path base() {
        return directory.resolve("machines");
    }

    private MachineStore store() {
        return new MachineStore(base());
    }

    @Test
    void aWriterThatIsKilledAtAnySystemCallLeavesTheOldFileOrTheNew() throws Exception {
        SampleMachines.save(store(), SampleMachines.full());
        assertThat(save()).isTrue();
        List<String> calls = calls();
        assertThat(calls).contains("openat", "write", "fsync", "rename");

        int finished = 0;
        Map<String, Integer> ordinals = new HashMap<>();
        for (String call : calls) {
            SampleMachines.save(store(), SampleMachines.full());
            // strace counts each system call by itself.
            int ordinal = ordinals.merge(call, 1, Integer::sum);
            boolean completed = save("-e", "inject=" + call + ":signal=KILL:when=" + ordinal);
            assertThat(completed).as("killed at %s %d", call, ordinal).isFalse();
            PersistedMachine left = store().load(SampleMachines.WEB);
            assertThat(left.resources()).as("after %s %d", call, ordinal).isIn(OLD, NEW);
            assertThat(left.withResources(OLD)).isEqualTo(SampleMachines.full());
            finished += left.resources().equals(NEW) ? 1 : 0;
            // The next process is not hindered, and takes nothing that is left for a machine.
            assertThat(store().list()).containsExactly("web");
        }
        assertThat(finished).as("kills after the rename").isPositive();
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(trace()).stream()
                .flatMap(line -> StraceLine.parse(line).stream())
                .map(StraceLine::call)
                .toList();
    }

    @Test
    void aHostThatCrashesAtAnySystemCallLeavesTheOldFileOrTheNewAndTheNewOnceTheSaveHasReturned() throws Exception {
        SampleMachines.save(store(), SampleMachines.full());
        String config = base().resolve("web/config.toml").toString();
        String old = Files.readString(Path.of(config));
        assertThat(save()).isTrue();
        String saved = Files.readString(Path.of(config));
        assertThat(saved).isNotEqualTo(old);

        PowerCutDisk disk = new PowerCutDisk(Map.of(config, old));
        Set<String> possible = disk.possible(config);
        int calls = 0;
        for (String text : Files.readAllLines(trace())) {
            Optional<StraceLine> line = StraceLine.parse(text);
            if (line.isPresent()) {
                disk.apply(line.get(), saved);
                possible = disk.possible(config);
                assertThat(possible).as("after %s", text).isSubsetOf(old, saved);
                calls++;
            }
        }
        assertThat(calls).as(Files.readString(trace())).isGreaterThan(6);
        assertThat(possible).containsExactly(saved);
    }

    /** The model would notice a writer that does without one of the two. */
    @Test
    void theLossOfWhatWasNotForcedIsSeen() {
        PowerCutDisk disk = new PowerCutDisk(Map.of("/m/config.toml", "old"));
        disk.apply(new StraceLine("openat", "AT_FDCWD, \"/m/.tmp-1\", O_RDWR|O_CREAT|O_EXCL, 0600", 5), "");
        disk.apply(new StraceLine("write", "5, \"newer\", 5", 5), "newer");
        disk.apply(new StraceLine("rename", "\"/m/.tmp-1\", \"/m/config.toml\"", 0), "");
        assertThat(disk.possible("/m/config.toml")).containsExactlyInAnyOrder("old", "", "ne", "newer");
        disk.apply(new StraceLine("fsync", "5", 0), "");
        assertThat(disk.possible("/m/config.toml")).containsExactlyInAnyOrder("old", "newer");
        disk.apply(new StraceLine("openat", "AT_FDCWD, \"/m\", O_RDONLY", 6), "");
        disk.apply(new StraceLine("fsync", "6", 0), "");
        assertThat(disk.possible("/m/config.toml")).containsExactly("newer");
    }

    private Path trace() {
        return directory.resolve("trace");
    }

    /** @return whether the save came to its end; otherwise it was killed */
    private boolean save(String... options) throws Exception {
        Process writer = OtherJvm.start(
                directory.resolve("writer.log"),
                StoreProcess.class,
                base().toString(),
                "save",
                String.valueOf(NEW.cpus()));
        started.add(writer);
        BufferedReader says = writer.inputReader();
        String ready = says.readLine();
        assertThat(ready).as(Files.readString(directory.resolve("writer.log"))).startsWith("ready ");
        String thread = ready.substring("ready ".length());
        Files.deleteIfExists(trace());

        List<String> command =
                new ArrayList<>(List.of("strace", "-o", trace().toString(), "-s", "4096", "-e", "trace=" + CALLS));
        command.addAll(List.of(options));
        command.addAll(List.of("-p", thread));
        Process strace = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("strace.log").toFile())
                .start();
        started.add(strace);
        Path status = Path.of("/proc", thread, "status");
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> Files.readString(status).contains("TracerPid:\t" + strace.pid()));
        writer.outputWriter().append('\n').flush();
        int code = writer.waitFor();
        String last = says.readLine();
        strace.waitFor();
        assertThat(code).as(Files.readString(directory.resolve("writer.log"))).isIn(0, 128 + 9);
        // The word of its end is a system call too, at which it may be killed.
        return code == 0 && "done".equals(last);
    }
}
