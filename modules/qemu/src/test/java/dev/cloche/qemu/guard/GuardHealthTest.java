package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What docs/guard.md says of the monitor, with a script in the place of QEMU. Seconds are a twentieth of real ones. */
@Timeout(1200)
class GuardHealthTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Speaks QMP on descriptor 4; what it is asked goes to the console. Goes on when a file is there. */
    private static final String QEMU = """
            say() { printf '%s\\n' "$1" >&4; }
            fails() { say '{"event": "BLOCK_IO_ERROR", "data": {"nospace": '$1', "reason": "'"$2"'", "action": "stop"}}'; }
            await() { while [ ! -e "$1" ]; do sleep 0.05; done; }
            serve() {
                while read -r line <&4; do
                    echo "asked $line"
                    case "$line" in
                        *query-status*) say '{"return": {"status": "'$(cat status)'"}}';;
                        *cont*) echo running > status; say '{"event": "RESUME"}'; say '{"return": {}}';;
                        *) say '{"return": {}}';;
                    esac
                done
            }
            echo io-error > status
            say '{"QMP": {"version": {}, "capabilities": []}}'
            read -r capabilities <&4
            say '{"return": {}}'
            """;

    private static Path binary = Path.of("");

    @TempDir
    Path directory = Path.of("");

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        binary = GuardBinary.compileHasty();
    }

    private GuardRun guard(String script) throws IOException {
        String all = "cd '" + directory + "'\n" + QEMU + script;
        return GuardRun.script(binary, directory, List.of("--monitor", directory.toString()), all);
    }

    private void awaitNote(String note) {
        await().atMost(PATIENCE).until(() -> Files.exists(directory.resolve(note)));
    }

    private void awaitNoNote(String note) {
        await().atMost(PATIENCE).until(() -> !Files.exists(directory.resolve(note)));
    }

    private void tell(String file) throws IOException {
        Files.writeString(directory.resolve(file), "");
    }

    private String console() throws IOException {
        Path log = directory.resolve("console.log");
        // The guard says that it has started just before it makes the log.
        return Files.exists(log) ? Files.readString(log) : "";
    }

    private void awaitQuestions(int count) {
        await().atMost(PATIENCE).until(() -> questions() >= count);
    }

    private int questions() throws IOException {
        return console().split("query-status", -1).length - 1;
    }

    private static void awaitOomScore(GuardRun guard, int score) {
        Path file = Path.of("/proc", String.valueOf(guard.programPid()), "oom_score_adj");
        await().atMost(PATIENCE).until(() -> Files.readString(file).equals(score + "\n"));
    }

    @Test
    void theKernelEndsEntriesOfPoolsFirstUntilTheyAreClaimed() throws Exception {
        Files.createFile(directory.resolve("pooled"));
        String script = "cd '" + directory + "'\n" + QEMU + "serve";
        List<String> options = List.of("--monitor", directory.toString(), "--oom-score", "500");
        List<String> pooled = Stream.concat(options.stream(), Stream.of("--pool-age-ms", "3600000"))
                .toList();
        try (var guard = GuardRun.script(binary, directory, pooled, script)) {
            awaitOomScore(guard, 900);
            Files.move(directory.resolve("pooled"), directory.resolve("claimed"));
            awaitOomScore(guard, 500);
        }
        Files.delete(directory.resolve("claimed"));
        try (var guard = GuardRun.script(binary, directory, options, script)) {
            awaitOomScore(guard, 500);
        }
    }

    @Test
    void aGuestThatIsHaltedByAFullDiskGoesOnWhenThereIsRoom() throws Exception {
        try (var guard = guard("fails true 'No space left on device'; await freed; serve")) {
            awaitNote("disk-full");
            assertThat(directory.resolve("disk-fine")).doesNotExist();
            tell("freed");
            awaitNoNote("disk-full");
            assertThat(directory.resolve("disk-fine")).exists();
            // The log is written later than the note is renamed.
            await().untilAsserted(() -> assertThat(console()).containsOnlyOnce("cont"));
            assertThat(guard.isAlive()).isTrue();
        }
    }

    @Test
    void whatTheReserveLacksIsNoRoomForAGuestAndIsMadeUpForBeforeItGoesOn() throws Exception {
        Path small = Files.createDirectory(directory.resolve("small"));
        Assumptions.assumeTrue(
                GuardRun.shell("mount -t tmpfs -o size=40m none '" + small + "'") == 0,
                "only root can mount a small file system");
        try {
            Path reserve = Files.write(small.resolve("reserve"), new byte[8 << 20]);
            // 9 MiB are free: a guest goes on with 2, but the reserve lacks 8.
            Path others = Files.write(small.resolve("others"), new byte[23 << 20]);
            List<String> options = List.of("--monitor", small.toString(), "--reserve", reserve.toString());
            String script = "cd '" + directory + "'\n" + QEMU + "fails true 'No space left on device'; serve";
            try (var guard = GuardRun.script(binary, directory, options, script)) {
                awaitQuestions(2);
                assertThat(console()).doesNotContain("cont");
                assertThat(reserve).hasSize(8 << 20);
                // A command that takes of the reserve has its lock.
                try (LockFile _ = LockFile.tryLock(reserve).orElseThrow()) {
                    Files.delete(others);
                    awaitQuestions(questions() + 1);
                    assertThat(reserve).hasSize(8 << 20);
                }
                awaitNoNote("disk-full");
                assertThat(reserve).hasSize(16 << 20);
                assertThat(guard.isAlive()).isTrue();
            }
        } finally {
            assertThat(GuardRun.shell("umount '" + small + "'")).isZero();
        }
    }

    @Test
    void aLogLeavesTheLastMebibyteToOthers() throws Exception {
        Path small = Files.createDirectory(directory.resolve("small"));
        Assumptions.assumeTrue(
                GuardRun.shell("mount -t tmpfs -o size=2m none '" + small + "'") == 0,
                "only root can mount a small file system");
        try {
            Path vm = Files.createDirectory(small.resolve("vm"));
            Files.write(small.resolve("others"), new byte[1000 << 10]);
            try (var guard = GuardRun.script(
                    binary, vm, List.of(), "head -c 200000 /dev/zero; echo x > '" + directory + "/said'; sleep 100")) {
                awaitNote("said");
                assertThat(small.toFile().getUsableSpace()).isBetween((1L << 20) - (32 << 10), 1L << 20);
                assertThat(guard.isAlive()).isTrue();
            }
        } finally {
            assertThat(GuardRun.shell("umount '" + small + "'")).isZero();
        }
    }

    @Test
    void aQuotaIsAFullDiskToo() throws Exception {
        try (var guard = guard("fails false 'Disk quota exceeded'; await freed; serve")) {
            awaitNote("disk-full");
            tell("freed");
            awaitNoNote("disk-full");
            assertThat(guard.isAlive()).isTrue();
        }
    }

    @Test
    void anotherFailureWaitsForARequestToResume() throws Exception {
        try (var guard =
                guard("fails false 'Input/output error'; (await resumed; say '{\"event\": \"RESUME\"}') & serve")) {
            awaitNote("disk-error");
            awaitQuestions(2);
            assertThat(console()).doesNotContain("cont");
            Files.writeString(directory.resolve("status"), "running");
            tell("resumed");
            awaitNoNote("disk-error");
            assertThat(guard.isAlive()).isTrue();
        }
    }

    @Test
    void aGuestThatWasHaltedOnRequestStaysSo() throws Exception {
        tell("held");
        try (var guard = guard("fails true 'No space left on device'; serve")) {
            awaitQuestions(3);
            assertThat(console()).doesNotContain("cont");
            assertThat(directory.resolve("disk-full")).exists();
            Files.delete(directory.resolve("held"));
            awaitNoNote("disk-full");
            assertThat(guard.isAlive()).isTrue();
        }
    }

    @Test
    void aGuestIsNotToldToGoOnWhileAClientSpeaksToTheMonitor() throws Exception {
        try (var lock = LockFile.tryLock(directory.resolve("qmp.lock")).orElseThrow();
                var guard = guard("fails true 'No space left on device'; serve")) {
            // What it asks every sixth time in any case is no attempt.
            awaitQuestions(2);
            assertThat(console()).doesNotContain("cont");
            assertThat(lock.isOf(directory.resolve("qmp.lock"))).isTrue();
            assertThat(guard.isAlive()).isTrue();
        }
    }

    @Test
    void aSilentProgramIsNotedAndLives() throws Exception {
        try (var guard = guard("await awake; serve")) {
            awaitNote("silent");
            assertThat(guard.isAlive()).isTrue();
            tell("awake");
            awaitNoNote("silent");
            assertThat(guard.isAlive()).isTrue();
        }
    }

    @Test
    void aProgramThatTalksNonsenseIsHeardNoMoreAndLives() throws Exception {
        try (var guard = guard("fails true x; await said; say nonsense; read -r line <&4; echo deaf; exec sleep 100")) {
            awaitNote("disk-full");
            tell("said");
            awaitNoNote("disk-full");
            await().atMost(PATIENCE).until(() -> console().contains("deaf"));
            assertThat(guard.isAlive()).isTrue();
        }
    }

    @Test
    void aProgramWhoseMainThreadIsDeadIsEnded() throws Exception {
        Path source = Files.writeString(directory.resolve("headless.c"), """
                #include <pthread.h>
                #include <unistd.h>
                static void *live(void *x) { for (;;) pause(); return x; }
                int main(void) { pthread_t t; pthread_create(&t, 0, live, 0); pthread_exit(0); }
                """);
        Path program = directory.resolve("headless");
        assertThat(GuardRun.shell("gcc -pthread -o '" + program + "' '" + source + "'"))
                .isZero();
        List<String> arguments =
                List.of("--dir", directory.toString(), "--monitor", directory.toString(), "--", program.toString());
        try (var guard = GuardRun.raw(binary, directory, arguments)) {
            assertThat(guard.ending()).contains("\"cause\":\"exited\"", "\"signal\":9");
        }
    }

    @Test
    void aGuestThatItsAcceleratorHasGivenUpIsEnded() throws Exception {
        try (var guard = guard("echo internal-error > status; say '{\"event\": \"STOP\"}'; serve")) {
            assertThat(guard.ending()).contains("\"cause\":\"exited\"", "\"signal\":9");
        }
    }

    @Test
    void aGuestThatWasGivenUpBeforeTheGuardListenedIsEndedToo() throws Exception {
        try (var guard = guard("echo internal-error > status; serve")) {
            assertThat(guard.ending()).contains("\"cause\":\"exited\"", "\"signal\":9");
        }
    }

    @Test
    void notesOfAnEarlierRunAreTakenBack() throws Exception {
        tell("disk-full");
        tell("disk-error");
        tell("silent");
        try (var guard = guard("serve")) {
            assertThat(guard.said()).startsWith("started ");
            for (String note : List.of("disk-full", "disk-error", "silent")) {
                assertThat(directory.resolve(note)).doesNotExist();
            }
        }
    }

    @Test
    void aDiskDirectoryThatIsNotThereIsAnError() throws Exception {
        List<String> arguments = List.of(
                "--dir",
                directory.toString(),
                "--monitor",
                directory.resolve("none").toString(),
                "--",
                "/bin/true");
        try (var guard = GuardRun.raw(binary, directory, arguments)) {
            assertThat(guard.said()).startsWith("failed cannot open ");
            assertThat(guard.exitCode()).isEqualTo(70);
        }
    }
}
