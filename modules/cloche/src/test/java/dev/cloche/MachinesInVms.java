package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.InstalledShare;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The machines of a test, on a state root of their own, of which nothing must be left. */
abstract class MachinesInVms {
    /** Longer than what ends when it is asked takes on a busy host. */
    static final Duration GRACE = Duration.ofMinutes(1);

    @TempDir
    Path home;

    Cloche cloche;
    Machines machines;

    @BeforeEach
    void open() {
        cloche = opened(home.resolve("state"));
        machines = cloche.machines();
    }

    static Cloche opened(Path state) {
        Path share = InstalledShare.require();
        return Cloche.open(ClocheOptions.ofEnvironment().withHome(state).withShare(share));
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        if (cloche == null) {
            return;
        }
        machines.list().machines().forEach(machine -> machines.remove(machine.name(), true));
        cloche.close();
        for (String directory : List.of("vms", "snapshots", "machines/.locks")) {
            Path path = home.resolve("state").resolve(directory);
            if (Files.isDirectory(path)) {
                try (Stream<Path> left = Files.list(path)) {
                    assertThat(left).as(directory).isEmpty();
                }
            }
        }
    }

    /** A JVM that does what {@code program} says on the same state root; its complaints are in {@code other.log}. */
    Process anotherProcess(Class<?> program, String machine) throws IOException {
        return new ProcessBuilder(ChildJvm.command(
                        List.of("-Dcloche.root=" + System.getProperty("cloche.root", "../..")),
                        program,
                        home.resolve("state").toString(),
                        machine))
                .redirectError(home.resolve("other.log").toFile())
                .start();
    }

    /** A machine of the smallest size. */
    MachineBuilder small(String name) {
        return machines.create(name, "base").memoryMib(256).cpus(1).diskGib(1);
    }

    /** Counts in a file system that is gone with the memory, and never begins anew. */
    static void beginCounter(Machine machine) {
        String count = "mkdir -p /dev/shm/c; (i=0; while :; do i=$((i+1)); echo $i >/dev/shm/c/next;"
                + " mv /dev/shm/c/next /dev/shm/c/n; sleep 0.05; done) >/dev/null 2>&1 </dev/null &";
        assertThat(machine.exec("sh", "-c", count).exitCode()).isZero();
    }

    static long counter(Machine machine) {
        String text = machine.exec("cat", "/dev/shm/c/n").stdoutText().strip();
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }
}
