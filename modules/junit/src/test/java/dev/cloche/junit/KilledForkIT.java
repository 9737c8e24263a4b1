package dev.cloche.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.PoolBuilder;
import dev.cloche.base.InstalledShare;
import dev.cloche.image.PullListener;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Forks of a test run that share a state root and a pool, and kill each other's JVM. */
@Timeout(1200)
class KilledForkIT {
    private static final int SIGKILLED = 137;

    @TempDir
    Path directory;

    private Path home;

    @BeforeEach
    void requireShare() {
        var _ = InstalledShare.require();
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/passt")), "passt is missing: run ./setup");
        home = directory.resolve("state");
    }

    private Cloche open() {
        return Cloche.open(ClocheOptions.ofEnvironment().withHome(home));
    }

    private static PoolBuilder pool(Cloche cloche) {
        return cloche.pools().pool("base").memoryMib(Samples.Fork.MEMORY_MIB);
    }

    /** What the test of a fork says of itself once it has its sandboxes. */
    private record Ready(String kind, int port) {
        static Ready of(ForkedRun fork) {
            List<String> words = List.of(fork.line().orElseThrow().split(" ", -1));
            assertThat(words).as("ready KIND PORT").hasSize(3).startsWith("ready");
            return new Ready(words.get(1), Integer.parseInt(words.get(2)));
        }
    }

    @Test
    void forksThatKillEachOtherLeaveNothing() throws Exception {
        try (Cloche cloche = open()) {
            pool(cloche).depth(2).set();
            assertThat(cloche.pools().fill(PullListener.none())).isEmpty();
        }
        try (ForkedRun one = fork("one");
                ForkedRun two = fork("two")) {
            Ready first = Ready.of(one);
            Ready second = Ready.of(two);
            // The other may come while the pool is made full again.
            assertThat(List.of(first.kind(), second.kind())).contains("WARM");

            one.say("kill " + two.pid());
            assertThat(one.line()).as("its own sandboxes").contains("go on");
            assertThat(two.exitCode()).isEqualTo(SIGKILLED);
            isLetGo(second.port());

            try (ForkedRun three = fork("three")) {
                Ready third = Ready.of(three);
                three.say("kill " + one.pid());
                assertThat(three.line()).contains("go on");
                assertThat(one.exitCode()).isEqualTo(SIGKILLED);
                isLetGo(first.port());
                three.say("end");
                assertThat(three.exitCode())
                        .as(Files.readString(directory.resolve("three.err")))
                        .isZero();
                isLetGo(third.port());
            }
        }

        try (Cloche later = open()) {
            // Each guard ends its VM at a time of its own: one that a fork had adopted, a grace later than others.
            await().untilAsserted(() -> {
                later.maintain();
                assertThat(later.sandboxes().list()).isEmpty();
                assertThat(later.unrecordedVms()).isEmpty();
            });
            assertThat(later.pools().list()).hasSize(1);
            pool(later).remove();
            later.maintain();
        }
        // A directory loses its name before its files, and may be about to; the same goes for processes.
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            try (Stream<Path> left = Files.list(home.resolve("vms"))) {
                assertThat(left).isEmpty();
            }
            assertThat(ProcessHandle.allProcesses()
                            .filter(process ->
                                    process.pid() != ProcessHandle.current().pid())
                            .flatMap(process -> process.info().commandLine().stream())
                            .filter(line -> line.contains(home.toString())))
                    .isEmpty();
        });
    }

    private ForkedRun fork(String name) throws Exception {
        return ForkedRun.start(home, Samples.Fork.class, directory.resolve(name + ".err"));
    }

    /** The guard of a VM whose JVM was killed ends it without being asked. */
    private static void isLetGo(int port) {
        await().atMost(Duration.ofMinutes(5))
                .untilAsserted(() -> assertThatThrownBy(
                                () -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                        .isInstanceOf(ConnectException.class));
    }
}
