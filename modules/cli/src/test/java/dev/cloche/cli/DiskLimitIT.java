package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a guest may ask of its disk, as people say it. A limit is a lower bound of time, so a busy host fails none of these. */
class DiskLimitIT extends OnOneHome {
    /** At 50 requests a second. */
    private static final Duration LEAST = Duration.ofMillis(2800);

    private static final String READS = "dd if=/dev/vdb of=/dev/null iflag=direct bs=4k count=150 2>/dev/null";
    /** At 10 requests a second seven minutes, which no command has here. */
    private static final String MANY = "dd if=/dev/vdb of=/dev/null iflag=direct bs=4k count=4000 2>/dev/null";

    private static void ok(Result result, String output) {
        assertThat(result).isEqualTo(new Result(0, output, ""));
    }

    private static Duration taking(String... words) {
        long begin = System.nanoTime();
        ok(cloche.run(words), "");
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static String inspected() {
        return cloche.run("inspect", "--format", "json", "slow").stdout();
    }

    @Test
    void aSandboxHasItsLimitsUntilTheyAreLifted() {
        assertThat(cloche.run(
                                "run",
                                "-d",
                                "--name",
                                "slow",
                                "--disk-iops",
                                "50",
                                "--disk-bps",
                                "20m",
                                "base",
                                "--",
                                "sleep",
                                "6000")
                        .exitCode())
                .isZero();
        assertThat(inspected()).contains("\"diskIops\" : 50", "\"diskBytesPerSecond\" : 20971520");
        assertThat(cloche.run("inspect", "slow").stdout()).contains("50 requests/s, 20971520 bytes/s");
        assertThat(taking("exec", "slow", "--", "sh", "-c", READS)).isGreaterThan(LEAST);

        ok(cloche.run("suspend", "slow"), "slow\n");
        ok(cloche.run("resume", "slow"), "slow\n");
        assertThat(taking("exec", "slow", "--", "sh", "-c", READS)).isGreaterThan(LEAST);

        ok(cloche.run("limit", "--disk-bps", "none", "--disk-iops", "10", "slow"), "slow\n");
        assertThat(inspected()).contains("\"diskIops\" : 10", "\"diskBytesPerSecond\" : null");
        ok(cloche.run("limit", "--disk-iops", "none", "slow"), "slow\n");
        ok(cloche.run("exec", "slow", "--", "sh", "-c", MANY), "");

        ok(cloche.run("limit", "--disk-iops", "50", "slow"), "slow\n");
        ok(cloche.run("stop", "slow"), "slow\n");
        ok(cloche.run("start", "slow"), "slow\n");
        assertThat(taking("exec", "slow", "--", "sh", "-c", READS)).isGreaterThan(LEAST);
        ok(cloche.run("rm", "-f", "slow"), "slow\n");
    }

    @Test
    void aMachineHasThem() {
        ok(
                cloche.run(
                        "machine",
                        "create",
                        "-q",
                        "slow",
                        "--image",
                        "base",
                        "-m",
                        "256m",
                        "--disk",
                        "1",
                        "--disk-iops",
                        "50"),
                "slow\n");
        ok(cloche.run("machine", "start", "slow"), "slow\n");
        assertThat(taking("machine", "exec", "slow", "--", "sh", "-c", READS)).isGreaterThan(LEAST);
        // Nothing of it waits for the next start.
        ok(cloche.run("machine", "set", "slow", "--disk-iops", "none", "--disk-bps", "1g"), "slow\n");
        assertThat(cloche.run("machine", "inspect", "slow").stdout()).contains("1073741824 bytes/s");
        ok(cloche.run("machine", "exec", "slow", "--", "sh", "-c", MANY), "");
        ok(cloche.run("machine", "rm", "-f", "slow"), "slow\n");
    }

    @Test
    void whatCannotBeIsSaidInASentence() {
        refused(
                125,
                "A limit of 5 requests per second to a disk is out of range.\n        Give 10 to 1000000",
                "run",
                "--name",
                "no",
                "--disk-iops",
                "5",
                "base",
                "true");
        refused(
                125,
                "A limit of 1024 bytes per second to a disk is out of range.\n        Give 64 KiB to 1 TiB",
                "run",
                "--name",
                "no",
                "--disk-bps",
                "1k",
                "base",
                "true");
        refused(
                125,
                "\"many\" is no limit of a disk: write for example 500, or none",
                "run",
                "--name",
                "no",
                "--disk-iops",
                "many",
                "base",
                "true");
        refused(125, "no disk whose use could be limited", "run", "--rm", "--disk-bps", "1m", "base", "true");
        refused(2, "Nothing is to be limited", "limit", "no");
        refused(1, "no sandbox named \"no\"", "limit", "no", "--disk-iops", "50");
    }

    private static void refused(int code, String sentence, String... words) {
        Result result = cloche.run(words);
        assertThat(result.stderr()).contains(sentence);
        assertThat(result.exitCode()).isEqualTo(code);
    }
}
