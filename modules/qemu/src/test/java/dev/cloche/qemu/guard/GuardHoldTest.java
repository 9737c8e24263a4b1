package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A guest that is halted at its limit in place of its end; a script stands in the place of QEMU. */
@Timeout(1200)
class GuardHoldTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String HOUR = "3600000";

    /** Speaks QMP on descriptor 4; what it is asked goes to the console. */
    private static final String QEMU = """
            say() { printf '%s\\n' "$1" >&4; }
            await() { while [ ! -e "$1" ]; do sleep 0.05; done; }
            becomes() { echo $1 > status; say '{"event": "'$2'"}'; say '{"return": {}}'; }
            serve() {
                while read -r line <&4; do
                    echo "asked $line"
                    case "$line" in
                        *query-status*) say '{"return": {"status": "'$(cat status)'"}}';;
                        *stop*) becomes paused STOP;;
                        *cont*) becomes running RESUME;;
                        *) say '{"return": {}}';;
                    esac
                done
            }
            [ -e status ] || echo running > status
            say '{"QMP": {"version": {}, "capabilities": []}}'
            """;

    private static Path patient = Path.of("");
    private static Path impatient = Path.of("");

    @TempDir
    Path directory = Path.of("");

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        patient = GuardBinary.compileHasty();
        impatient = GuardBinary.compileImpatient();
    }

    @BeforeEach
    void itIsToBeHeld() throws IOException {
        note("hold-at-limit");
    }

    private GuardRun guard(Path binary, String script) throws IOException {
        // A QEMU goes on when its monitor is closed, but a shell could end before the guard's signal meets it.
        String all = "cd '" + directory + "'\n" + QEMU + script + "\nkill -STOP $$";
        return GuardRun.script(
                binary, directory, List.of("--monitor", directory.toString(), "--max-duration-ms", HOUR), all);
    }

    private void note(String name) throws IOException {
        Files.writeString(directory.resolve(name), "");
    }

    private boolean noted(String name) {
        return Files.exists(directory.resolve(name));
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).until(condition);
    }

    private void limit(GuardRun guard, String milliseconds) throws Exception {
        Path written = Files.writeString(directory.resolve("limit.tmp"), milliseconds);
        Files.move(written, directory.resolve("limit"), StandardCopyOption.ATOMIC_MOVE);
        guard.signal("USR1");
    }

    /** As soon as QEMU has been heard; a limit that passes before is one of a start. */
    private void comesToItsLimit(GuardRun guard) throws Exception {
        until(() -> console().contains("query-status"));
        limit(guard, "1");
    }

    private String console() throws IOException {
        Path log = directory.resolve("console.log");
        return Files.exists(log) ? Files.readString(log) : "";
    }

    private String status() throws IOException {
        return Files.readString(directory.resolve("status")).strip();
    }

    @Test
    void itIsHaltedAtItsLimitAndGoesOnWithAnother() throws Exception {
        try (var guard = guard(patient, "serve")) {
            comesToItsLimit(guard);
            until(() -> noted("at-limit"));
            assertThat(noted("hold-at-limit")).isFalse();
            assertThat(status()).isEqualTo("paused");
            limit(guard, HOUR);
            until(() -> noted("hold-at-limit"));
            assertThat(noted("at-limit")).isFalse();
            until(() -> status().equals("running"));
            limit(guard, "1");
            until(() -> noted("at-limit"));
            assertThat(guard.isAlive()).isTrue();
        }
    }

    @Test
    void oneThatWasHaltedBeforeStaysSo() throws Exception {
        Files.writeString(directory.resolve("status"), "paused");
        try (var guard = guard(patient, "serve")) {
            comesToItsLimit(guard);
            until(() -> noted("at-limit"));
            limit(guard, HOUR);
            until(() -> noted("hold-at-limit"));
            assertThat(console()).doesNotContain("\"stop\"", "\"cont\"");
        }
    }

    @Test
    void oneThatAProcessHaltedMeanwhileWaitsForThatProcess() throws Exception {
        try (var guard = guard(patient, "serve")) {
            comesToItsLimit(guard);
            until(() -> noted("at-limit"));
            note("paused");
            limit(guard, HOUR);
            until(() -> noted("hold-at-limit"));
            assertThat(console()).doesNotContain("\"cont\"");
        }
    }

    @Test
    void aProcessThatHasTheMonitorIsWaitedFor() throws Exception {
        try (var guard = guard(patient, "serve")) {
            Optional<LockFile> capture = LockFile.tryLock(directory.resolve("qmp.lock"));
            comesToItsLimit(guard);
            // So that it has looked; a guard that has not asks nothing either.
            Thread.sleep(200);
            assertThat(console()).doesNotContain("\"stop\"");
            capture.orElseThrow().close();
            until(() -> noted("at-limit"));
        }
    }

    @Test
    void oneThatGoesOnWithoutALimitIsHaltedAgain() throws Exception {
        String resumed = "(await resumed; echo running > status; say '{\"event\": \"RESUME\"}') & serve";
        try (var guard = guard(patient, resumed)) {
            comesToItsLimit(guard);
            until(() -> noted("at-limit"));
            note("resumed");
            until(() -> console().split("\"stop\"", -1).length == 3);
            until(() -> status().equals("paused"));
            limit(guard, HOUR);
            until(() -> status().equals("running"));
        }
    }

    @Test
    void itIsEndedAfterADay() throws Exception {
        try (var guard = guard(impatient, "serve")) {
            comesToItsLimit(guard);
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"", "\"signal\":9");
            assertThat(console()).contains("\"stop\"");
        }
    }

    @Test
    void oneThatDoesNotHaltIsEnded() throws Exception {
        String deaf = "while read -r line <&4; do echo \"asked $line\"; case \"$line\" in"
                + " *query-status*) say '{\"return\": {\"status\": \"running\"}}';; *stop*) ;;"
                + " *) say '{\"return\": {}}';; esac; done";
        try (var guard = guard(impatient, deaf)) {
            comesToItsLimit(guard);
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"", "\"signal\":9");
            assertThat(noted("at-limit")).isFalse();
        }
    }

    @Test
    void oneThatRefusesToHaltIsNotAskedWithoutEnd() throws Exception {
        String refusing = "while read -r line <&4; do echo \"asked $line\"; case \"$line\" in"
                + " *query-status*) say '{\"return\": {\"status\": \"running\"}}';; *stop*) say '{\"error\": {}}';;"
                + " *) say '{\"return\": {}}';; esac; done";
        try (var guard = guard(impatient, refusing)) {
            comesToItsLimit(guard);
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"", "\"signal\":9");
            assertThat(console().split("\"stop\"", -1).length).isLessThan(60);
        }
    }

    /** Killed as soon as it has asked the guest to halt, or once that is halted. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withItsGuardItEndsAndIsSaidToHaveCrashed(boolean halted) throws Exception {
        VmLayout layout = VmLayout.of(directory.resolve("state"), directory);
        VmId id = new VmId("held");
        directory = Files.createDirectories(layout.directory(id));
        itIsToBeHeld();
        String silent = "while read -r line <&4; do echo \"asked $line\"; case \"$line\" in"
                + " *query-status*) say '{\"return\": {\"status\": \"running\"}}';; *stop*) ;;"
                + " *) say '{\"return\": {}}';; esac; done";
        try (var guard = guard(patient, halted ? "serve" : silent)) {
            comesToItsLimit(guard);
            until(() -> halted ? noted("at-limit") : console().contains("\"stop\""));
            guard.signal("KILL");
            until(() -> ProcessHandle.of(guard.programPid())
                    .filter(ProcessHandle::isAlive)
                    .isEmpty());
            VmInfo found = new VmDirectory(layout).get(id).orElseThrow();
            assertThat(found.state()).isEqualTo(VmState.FAILED);
            assertThat(found.exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.GUARD_LOST);
            // Who works with it next is kept out by nothing.
            for (String lock : List.of("lock", "qmp.lock")) {
                LockFile.tryLock(directory.resolve(lock)).orElseThrow().close();
            }
            assertThat(noted("at-limit")).isEqualTo(halted);
            assertThat(noted("hold-at-limit")).isEqualTo(!halted);
        }
        // One that is made in its place runs, and is held at a limit of its own.
        VmNote.HOLD_AT_LIMIT.leave(directory);
        Files.deleteIfExists(directory.resolve("limit"));
        Files.deleteIfExists(directory.resolve("console.log"));
        Files.deleteIfExists(directory.resolve("status"));
        try (var guard = guard(patient, "serve")) {
            until(() -> console().contains("query-status"));
            assertThat(VmNote.hindrance(directory)).isEmpty();
            limit(guard, "1");
            until(() -> noted("at-limit"));
        }
    }

    @Test
    void oneThatCannotBeToldToGoOnIsEnded() throws Exception {
        try (var guard = guard(patient, "(await broken; say nonsense) & serve")) {
            comesToItsLimit(guard);
            until(() -> noted("at-limit"));
            note("broken");
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"", "\"signal\":9");
        }
    }
}
