package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The contract of docs/guard.md, on the real program. */
class GuardTest extends WithGuard {
    private boolean lockIsFree() throws IOException, InterruptedException {
        return GuardRun.shell("flock -n '" + directory.resolve("lock") + "' true") == 0;
    }

    /** A field of {@code /proc/PID/stat} after the second, counted from 1. */
    private static String statField(long pid, int field) throws IOException {
        var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[field - 3];
    }

    private static long number(String json, String name) {
        var value = Pattern.compile("\"" + name + "\":([0-9]+)").matcher(json);
        assertThat(value.find()).as("%s in %s", name, json).isTrue();
        return Long.parseLong(value.group(1));
    }

    private static void awaitEnd(long pid) {
        await().until(() -> ProcessHandle.of(pid).map(p -> !p.isAlive()).orElse(true));
    }

    private void awaitConsole(String text) {
        await()
                // The guard says that it has started just before it makes the log.
                .until(() -> Files.exists(directory.resolve("console.log"))
                        && Files.readString(directory.resolve("console.log")).contains(text));
    }

    /** A process that has gone to sleep so often anew has looked at what it watches. */
    private static void awaitSleeps(long pid, int times) throws IOException {
        var before = sleeps(pid);
        await().until(() -> sleeps(pid) >= before + times);
    }

    private static long sleeps(long pid) throws IOException {
        var status = Files.readString(Path.of("/proc/" + pid + "/status"));
        return Long.parseLong(status.replaceFirst("(?s).*\nvoluntary_ctxt_switches:\\s*([0-9]+)\n.*", "$1"));
    }

    @Test
    void holdsTheLockAsLongAsItLives() throws Exception {
        try (var guard = guard("exec sleep 100")) {
            assertThat(guard.said()).startsWith("started ");
            assertThat(lockIsFree()).isFalse();
            guard.signal("TERM");
            guard.exitCode();
            assertThat(lockIsFree()).isTrue();
        }
    }

    @Test
    void refusesABusyDirectoryWithoutTouchingIt() throws Exception {
        try (var first = guard("exec sleep 100")) {
            var record = Files.readString(directory.resolve("guard.json"));
            try (var second = guard("echo intruder")) {
                assertThat(second.said()).isEqualTo("busy\n");
                assertThat(second.exitCode()).isEqualTo(75);
            }
            assertThat(first.isAlive()).isTrue();
            assertThat(directory.resolve("guard.json")).hasContent(record);
        }
    }

    @Test
    void recordsItselfBeforeItStartsTheProgram() throws Exception {
        try (var guard = guard("cat '" + directory + "/guard.json'; echo; echo read; exec sleep 100")) {
            awaitConsole("read");
            var bootId =
                    Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
            var startTime = statField(guard.pid(), 22);
            var expected = "{\"version\":1,\"pid\":%d,\"startTime\":%s,\"bootId\":\"%s\",\"understands\":\"ports\"}"
                    .formatted(guard.pid(), startTime, bootId);
            assertThat(directory.resolve("console.log")).content().startsWith(expected);
        }
    }

    @Test
    void writesDownAnExitCodeOnADiskWithoutAFreeByte() throws Exception {
        Assumptions.assumeTrue(
                GuardRun.shell("mount -t tmpfs -o size=64k none '" + directory + "'") == 0,
                "only root can mount a small file system");
        try (var guard = guard("until [ -e '" + directory + "/full' ]; do sleep 0.1; done; exit 7")) {
            assertThat(GuardRun.shell("cat /dev/zero >'" + directory + "/filler'"))
                    .isNotZero();
            // A name takes nothing of this file system.
            Files.createFile(directory.resolve("full"));
            assertThat(directory.toFile().getUsableSpace()).isZero();
            assertThat(guard.ending()).contains("\"exitCode\":7");
            assertThat(directory).isDirectoryNotContaining("glob:**.tmp");
        } finally {
            GuardRun.shell("umount '" + directory + "'");
        }
    }

    @Test
    void writesDownAnExitCode() throws Exception {
        var before = System.currentTimeMillis();
        try (var guard = guard("printf 'last words' >&3; exit 7")) {
            var ending = guard.ending();
            assertThat(ending)
                    .matches("\\{\"version\":1,\"cause\":\"exited\",\"exitCode\":7,\"signal\":null,"
                            + "\"startedAt\":[0-9]+,\"endedAt\":[0-9]+,\"goodbye\":\"6c61737420776f726473\"}\n");
            assertThat(number(ending, "startedAt")).isGreaterThanOrEqualTo(before);
            assertThat(number(ending, "endedAt")).isGreaterThanOrEqualTo(number(ending, "startedAt"));
        }
    }

    @Test
    void writesDownASignal() throws Exception {
        try (var guard = guard("kill -SEGV $$")) {
            assertThat(guard.ending())
                    .contains("\"cause\":\"exited\",\"exitCode\":null,\"signal\":11,")
                    .endsWith("\"goodbye\":\"\"}\n");
        }
    }

    @Test
    void killsTheProgramOnSigterm() throws Exception {
        try (var guard = guard("trap '' TERM; echo deaf; while :; do sleep 1; done")) {
            awaitConsole("deaf");
            guard.signal("TERM");
            assertThat(guard.ending()).contains("\"cause\":\"killed\",\"exitCode\":null,\"signal\":9,");
        }
    }

    @Test
    void endsTheProgramAfterItsLongestDuration() throws Exception {
        try (var guard = guard("exec sleep 100", "--max-duration-ms", "200")) {
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\",\"exitCode\":null,\"signal\":9,");
        }
    }

    @Test
    void endsAPoolEntryThatIsNotClaimed() throws Exception {
        Files.createFile(directory.resolve("pooled"));
        try (var guard = guard("exec sleep 100", "--pool-age-ms", "200")) {
            assertThat(guard.ending()).contains("\"cause\":\"pool-age\"");
        }
        assertThat(directory.resolve("pooled")).doesNotExist();
        assertThat(directory.resolve("retired")).exists();
    }

    @Test
    void leavesAClaimedPoolEntryAlone() throws Exception {
        Files.createFile(directory.resolve("pooled"));
        try (var guard = guard("exec sleep 100", "--pool-age-ms", "10000", "--max-duration-ms", "11000")) {
            Files.move(directory.resolve("pooled"), directory.resolve("claimed"));
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
        assertThat(directory.resolve("claimed")).exists();
    }

    @Test
    void waitsForAPoolEntryThatIsStillBeingMade() throws Exception {
        try (var guard = guard("exec sleep 100", "--pool-age-ms", "200")) {
            await().during(Duration.ofMillis(600)).until(guard::isAlive);
            Files.createFile(directory.resolve("pooled"));
            assertThat(guard.ending()).contains("\"cause\":\"pool-age\"");
        }
    }

    @Test
    void needsNoOwnerForAPoolEntryUntilItIsClaimed() throws Exception {
        Files.createFile(directory.resolve("owner.lock"));
        Files.createFile(directory.resolve("pooled"));
        try (var guard = guard("exec sleep 100", "--owner-grace-ms", "100")) {
            guard.closeOwnerPipe();
            await().during(Duration.ofMillis(500)).until(guard::isAlive);
            Files.move(directory.resolve("pooled"), directory.resolve("claimed"));
            assertThat(guard.ending()).contains("\"cause\":\"owner-gone\"");
        }
    }

    @Test
    void endsTheProgramWhenItsOwnerIsGone() throws Exception {
        try (var guard = guard("exec sleep 100", "--owner-grace-ms", "200")) {
            Files.createFile(directory.resolve("owner.lock"));
            guard.closeOwnerPipe();
            assertThat(guard.ending()).contains("\"cause\":\"owner-gone\"");
        }
    }

    @Test
    void leavesTheProgramToANewOwnerForAsLongAsThatHoldsTheLock() throws Exception {
        var lock = directory.resolve("owner.lock");
        var holder = new ProcessBuilder("flock", lock.toString(), "sh", "-c", "echo held; exec cat")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var guard = guard("exec sleep 100", "--owner-grace-ms", "100")) {
            assertThat(holder.inputReader().readLine()).isEqualTo("held");
            guard.closeOwnerPipe();
            awaitSleeps(guard.pid(), 10);
            assertThat(guard.isAlive()).isTrue();
            var owned = System.currentTimeMillis();
            holder.getOutputStream().close();
            var ending = guard.ending();
            assertThat(ending).contains("\"cause\":\"owner-gone\"");
            // The next owner has a whole grace, whenever this one ends.
            assertThat(number(ending, "endedAt")).isGreaterThanOrEqualTo(owned + 100);
        } finally {
            holder.getOutputStream().close();
            holder.waitFor();
        }
    }

    @Test
    void outlivesItsStarterOnceDetached() throws Exception {
        try (var guard = guard("exec sleep 100", "--owner-grace-ms", "100", "--max-duration-ms", "1500")) {
            Files.createFile(directory.resolve("detached"));
            guard.closeOwnerPipe();
            assertThat(guard.ending()).contains("\"cause\":\"max-duration\"");
        }
    }

    @Test
    void outlivesAnOwnerThatAdoptedAndDetachedIt() throws Exception {
        var lock = directory.resolve("owner.lock");
        try (var guard = guard("exec sleep 100", "--owner-grace-ms", "100")) {
            try (var _ = LockFile.tryLock(lock).orElseThrow()) {
                guard.closeOwnerPipe();
                await().during(Duration.ofMillis(400)).until(guard::isAlive);
                Files.createFile(directory.resolve("detached"));
            }
            await().during(Duration.ofMillis(400)).until(guard::isAlive);
            guard.signal("TERM");
            assertThat(guard.ending()).contains("\"cause\":\"killed\"");
        }
    }

    @Test
    void takesTheProgramAlongWhenItIsKilled() throws Exception {
        try (var guard = guard("exec sleep 100")) {
            var program = guard.programPid();
            guard.signal("KILL");
            awaitEnd(program);
            assertThat(lockIsFree()).isTrue();
            assertThat(directory.resolve("exit.json")).doesNotExist();
        }
    }

    @Test
    void isNotReachedBySignalsToItsStartersGroup() throws Exception {
        // A shell in a session of its own starts the guard, then signals its whole process group.
        var script =
                "trap '' INT HUP; '%s' --dir '%s' -- sleep 100 < /dev/zero | { read line; echo \"$line\"; }; kill -INT 0; kill -HUP 0; echo sent"
                        .formatted(binary, directory);
        var starter = new ProcessBuilder("setsid", "sh", "-c", script)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var output = starter.inputReader();
        var program = Long.parseLong(output.readLine().replace("started ", ""));
        var guard = number(Files.readString(directory.resolve("guard.json")), "pid");
        try {
            assertThat(statField(guard, 6)).as("the guard's session").isEqualTo(Long.toString(guard));
            assertThat(ProcessHandle.of(program).orElseThrow().isAlive()).isTrue();
            assertThat(GuardRun.shell("kill -HUP " + guard + "; kill -INT " + guard))
                    .isZero();
            await().during(Duration.ofMillis(200)).until(() -> !lockIsFree());
        } finally {
            assertThat(GuardRun.shell("kill -TERM " + guard)).isZero();
            awaitEnd(guard);
            starter.destroyForcibly().waitFor();
        }
        assertThat(directory.resolve("exit.json")).content().contains("\"cause\":\"killed\"");
    }

    @Test
    void keepsTheLatestOfAConsoleThatFloods() throws Exception {
        try (var guard = guard("head -c 3000000 /dev/zero; echo the end; exit 0")) {
            assertThat(guard.ending()).contains("\"exitCode\":0");
        }
        assertThat(Files.size(directory.resolve("console.log"))).isLessThanOrEqualTo(128 * 1024);
        assertThat(Files.size(directory.resolve("console.log.1"))).isEqualTo(128 * 1024);
        assertThat(Files.readString(directory.resolve("console.log"))).endsWith("the end\n");
    }

    @Test
    void keepsTheFirstBytesOfAGoodbyeThatFloods() throws Exception {
        try (var guard = guard("printf first >&3; head -c 1000000 /dev/zero >&3; exit 3")) {
            assertThat(guard.ending())
                    .contains("\"exitCode\":3")
                    .endsWith("\"goodbye\":\"" + "6669727374" + "00".repeat(59) + "\"}\n");
        }
    }

    @Test
    void givesTheProgramItsSocketsInOrderAndNothingElse() throws Exception {
        var first = directory.resolve("a");
        var second = directory.resolve("b");
        Files.createFile(directory.resolve("owner.lock"));
        try (var guard = guard(
                "ls /proc/self/fd | tr '\\n' ' '; echo; readlink /proc/self/fd/0; echo listed; exec sleep 100",
                "--listen",
                first.toString(),
                "--listen",
                second.toString())) {
            awaitConsole("listed");
            // 0 to 2, the goodbye pipe, two sockets, and the directory that ls itself has open.
            assertThat(directory.resolve("console.log")).content().startsWith("0 1 2 3 4 5 6 \n/dev/null\n");
            for (var path : List.of(first, second)) {
                try (var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                    assertThat(client.connect(UnixDomainSocketAddress.of(path))).isTrue();
                }
            }
            guard.signal("TERM");
            guard.exitCode();
        }
        assertThat(first).doesNotExist();
        assertThat(second).doesNotExist();
    }

    @Test
    void replacesTheSocketsAndTheEndingOfAnEarlierRun() throws Exception {
        var socket = directory.resolve("a");
        try (var killed = guard("exec sleep 100", "--listen", socket.toString())) {
            killed.signal("KILL");
            killed.exitCode();
            assertThat(socket).exists();
            awaitEnd(killed.programPid());
        }
        Files.writeString(directory.resolve("exit.json"), "old");
        try (var guard = guard("exec sleep 100", "--listen", socket.toString())) {
            assertThat(guard.said()).startsWith("started ");
            assertThat(directory.resolve("exit.json")).doesNotExist();
        }
    }

    @Test
    void saysWhatFailedBeforeTheStart() throws Exception {
        var directoryOption = directory.toString();
        var file = Files.createFile(directory.resolve("file")).toString();
        for (var arguments : List.of(
                List.<String>of(),
                List.of("--dir", directoryOption),
                List.of("--dir", directoryOption, "--"),
                List.of("--", "true"),
                List.of("--dir", directoryOption + "/missing", "--", "true"),
                List.of("--dir", directoryOption, "--max-duration-ms", "soon", "--", "true"),
                List.of("--dir", directoryOption, "--max-duration-ms", "0", "--", "true"),
                List.of("--dir", directoryOption, "--max-duration-ms", "99999999999999999999", "--", "true"),
                List.of("--dir", directoryOption, "--what", "x", "--", "true"),
                List.of("--dir", directoryOption, "--listen", "/" + "x".repeat(107), "--", "true"),
                List.of("--dir", directoryOption, "--listen", file, "--", "true"),
                List.of("--dir", directoryOption, "--hold", directoryOption + "/missing", "--", "true"),
                List.of("--dir", directoryOption, "--", "/no/such/program"))) {
            try (var guard = GuardRun.raw(binary, directory, arguments)) {
                assertThat(guard.said()).as("%s", arguments).matches("failed [^\n]+\n");
                assertThat(guard.exitCode()).as("%s", arguments).isEqualTo(70);
            }
        }
        assertThat(Path.of(file)).isRegularFile();
    }
}
