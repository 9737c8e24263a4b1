package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools as they are used from a shell. */
class PoolCommandsIT {
    @TempDir
    Path home;

    private Program cloche;

    @BeforeEach
    void install() {
        cloche = Program.in(home);
    }

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        assertThat(cloche.run("ps", "-a", "--format", "json").stdout().strip()).isEqualTo("[ ]");
        assertThat(cloche.vmProcesses()).isEmpty();
        assertThat(cloche.vmDirectories()).isEmpty();
    }

    private void fill(int depth) {
        assertThat(cloche.run("pool", "set", "base", "-m", "256m", "--depth", String.valueOf(depth)))
                .isEqualTo(new Result(0, "", ""));
        assertThat(cloche.run("pool", "fill", "-q")).isEqualTo(new Result(0, "", ""));
        assertThat(cloche.run("pool", "ls", "--format", "json").stdout()).contains("\"ready\" : " + depth);
    }

    private void remove() {
        assertThat(cloche.run("pool", "rm", "base", "-m", "256m").exitCode()).isZero();
    }

    private static String lastLine(String text) {
        List<String> lines = text.lines().toList();
        return lines.getLast();
    }

    @Test
    void aRunFromThePoolIsItsCallersAlone() {
        fill(1);
        Result run = cloche.run(
                "run",
                "--format",
                "json",
                "-m",
                "256m",
                "--rm",
                "--name",
                "mine",
                "-e",
                "COLOUR=blue",
                "-w",
                "/work",
                "-u",
                "65534",
                "--disk",
                "0",
                "base",
                "--",
                "sh",
                "-c",
                "hostname; echo $COLOUR; pwd; id -u; printf unfinished >&2; exit 3");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.stdout()).isEqualTo("mine\nblue\n/work\n65534\n");
        assertThat(run.stderr()).startsWith("unfinished\n{");
        assertThat(lastLine(run.stderr()))
                .contains("\"name\":\"mine\"", "\"kind\":\"warm\"", "\"totalMillis\":", "\"exitCode\":3");
        // No process has filled it since, and a second start says so.
        Result second = cloche.run("run", "--format", "json", "-m", "256m", "base", "--", "true");
        assertThat(lastLine(second.stderr())).contains("\"kind\":\"restored\"", "no VM of the pool was ready");
        assertThat(cloche.run("pool", "stats", "--format", "json").stdout())
                .contains("\"hits\" : 1", "\"misses\" : 1", "\"made\" : 1");
        remove();
        assertThat(cloche.run("pool", "ls", "--format", "json").stdout().strip())
                .isEqualTo("[ ]");
    }

    @Test
    void aDetachedRunFromThePoolOutlivesItsStarterAndIsLogged() {
        fill(1);
        Result run = cloche.run(
                "run",
                "-d",
                "--format",
                "json",
                "-m",
                "256m",
                "--name",
                "web",
                "--disk",
                "0",
                "base",
                "--",
                "sh",
                "-c",
                "echo up; exec sleep 600");
        assertThat(run.stdout()).contains("\"name\":\"web\"", "\"kind\":\"warm\"");
        assertThat(cloche.run("inspect", "web", "--format", "json").stdout()).contains("\"kind\" : \"warm\"");
        await().until(() -> cloche.run("logs", "web").stdout().equals("up\n"));
        remove();
        assertThat(cloche.run("exec", "web", "--", "hostname").stdout()).isEqualTo("web\n");
        assertThat(cloche.run("rm", "--force", "web").exitCode()).isZero();
    }

    @Test
    void aRunFromThePoolIsEndedAfterItsTimeout() {
        fill(1);
        Result run =
                cloche.run("run", "--format", "json", "-m", "256m", "--timeout", "2s", "base", "--", "sleep", "600");
        assertThat(run.exitCode()).as(run.stderr()).isEqualTo(124);
        leftFor(3);
        cloche.run("wait", "left");
        assertThat(cloche.run("inspect", "left", "--format", "json").stdout()).contains("max-duration-exceeded");
        assertThat(cloche.run("rm", "left").exitCode()).isZero();
        remove();
    }

    /** Detached from a pool: a busy host is given longer to hand it over in. */
    private void leftFor(int seconds) {
        assertThat(cloche.run("pool", "fill", "-q").exitCode()).isZero();
        String[] left = {"run", "-d", "--format", "json", "-m", "256m", "--name", "left", "--disk", "0"};
        String[] until = {"--timeout", seconds + "s", "base", "--", "sleep", "600"};
        Result run = cloche.run(Stream.of(left, until).flatMap(Stream::of).toArray(String[]::new));
        if (!run.stdout().contains("\"kind\":\"warm\"")) {
            assertThat(seconds).as(run.stderr()).isLessThan(300);
            cloche.run("rm", "--force", "left");
            leftFor(2 * seconds);
        }
    }

    @Test
    void aRunWithANetworkTakesFromThePoolOfThose() {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/passt")), "passt is missing, so there are no networks here");
        assertThat(cloche.run("pool", "set", "base", "-m", "256m", "--network", "user", "--depth", "1"))
                .isEqualTo(new Result(0, "", ""));
        assertThat(cloche.run("pool", "fill", "-q")).isEqualTo(new Result(0, "", ""));
        Result without = cloche.run("run", "--format", "json", "-m", "256m", "base", "--", "ls", "/sys/class/net");
        assertThat(without.stdout()).doesNotContain("eth0");
        assertThat(lastLine(without.stderr())).contains("has VMs with a network, and it has none");
        Result published = cloche.run(
                "run", "--format", "json", "-m", "256m", "--network", "user", "-p", "80", "base", "--", "true");
        assertThat(lastLine(published.stderr())).contains("\"kind\":\"restored\"", "it publishes ports");
        Result warm = cloche.run(
                "run",
                "--format",
                "json",
                "-m",
                "256m",
                "--dns",
                "198.51.100.7",
                "base",
                "--",
                "sh",
                "-c",
                "cat /etc/resolv.conf; ip -o -4 addr show eth0; cat /sys/class/net/eth0/address");
        assertThat(lastLine(warm.stderr())).contains("\"kind\":\"warm\"");
        assertThat(warm.stdout())
                .contains("nameserver 198.51.100.7", "10.203.0.15/24")
                .doesNotContain("02:c1:0c");
        assertThat(cloche.run("pool", "ls").stdout()).contains("user");
        assertThat(cloche.run("pool", "rm", "base", "-m", "256m").stderr()).contains("without a network");
        assertThat(cloche.run("pool", "rm", "base", "-m", "256m", "--network", "user")
                        .exitCode())
                .isZero();
    }

    @Test
    void aPoolIsFilledInTheBackgroundAndAgainAfterItWasTakenFrom() {
        Program making = cloche.withMakers();
        assertThat(making.run("pool", "set", "base", "-m", "256m", "--depth", "1")
                        .exitCode())
                .isZero();
        awaitReady();
        Result run = making.run("run", "--format", "json", "-m", "256m", "base", "--", "true");
        assertThat(lastLine(run.stderr())).contains("\"kind\":\"warm\"");
        awaitReady();
        remove();
    }

    private void awaitReady() {
        await().pollInterval(Duration.ofMillis(500))
                .until(() ->
                        cloche.run("pool", "ls", "--format", "json").stdout().contains("\"ready\" : 1"));
    }

    @Test
    void aRunThatIsKilledDuringTheHandOverLeavesNothing() throws Exception {
        fill(2);
        long begin = System.nanoTime();
        cloche.run("run", "-m", "256m", "base", "--", "true");
        long whole = System.nanoTime() - begin;
        // At moments from before it looks to after it has its VM, however busy the machine is.
        for (int share = 3; share <= 9; share += 2) {
            Process run = cloche.start("run", "-m", "256m", "base", "--", "sleep", "600");
            run.getOutputStream().close();
            var _ = run.waitFor(whole * share / 10, TimeUnit.NANOSECONDS);
            run.destroyForcibly().waitFor();
            run.getInputStream().close();
            run.getErrorStream().close();
            assertThat(cloche.run("pool", "fill", "-q").exitCode()).isZero();
        }
        // The killed process has done no harm: what is in the pool now can be taken.
        Result after = cloche.run("run", "--format", "json", "-m", "256m", "base", "--", "hostname");
        assertThat(lastLine(after.stderr())).contains("\"kind\":\"warm\"");
        remove();
        await().pollInterval(Duration.ofSeconds(1))
                .until(() -> cloche.vmProcesses().isEmpty());
        await().pollInterval(Duration.ofSeconds(1)).until(() -> {
            cloche.run("maintain");
            return cloche.vmDirectories().isEmpty();
        });
    }

    @Test
    void whatIsWrongIsSaidWithWhatToDo() {
        assertThat(cloche.run("pool", "rm", "base").stderr()).contains("There is no pool", "cloche pool ls");
        assertThat(cloche.run("pool", "set", "base", "--depth", "65").stderr()).contains("64 VMs", "cloche pool rm");
        assertThat(cloche.run("pool", "set", "base").exitCode()).isEqualTo(2);
        assertThat(cloche.run("pool", "set", "base", "--depth", "2", "--min-depth", "-1")
                        .stderr())
                .contains("A depth of -1 to 2 is none");
        assertThat(cloche.run("pool", "set", "base", "--depth", "2", "--cold-after", "0s")
                        .stderr())
                .contains("time to go cold");
        assertThat(cloche.run("pool").stdout()).contains("set", "stats");
    }
}
