package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The one deadline of a sandbox, set by processes that come and go; its guard alone enforces it. */
class DeadlineIT extends OnOneHome {
    private static final Pattern DEADLINE = Pattern.compile("\"deadline\" : \"([^\"]+)\"");
    private static final String DEAF = "trap '' TERM; echo ready; while :; do sleep 1; done";

    private static void started(String... options) {
        String[] words = new String[options.length + 8];
        String[] before = {"run", "-d", "--name", "web"};
        String[] after = {"base", "--", "sleep", "6000"};
        System.arraycopy(before, 0, words, 0, 4);
        System.arraycopy(options, 0, words, 4, options.length);
        System.arraycopy(after, 0, words, 4 + options.length, 4);
        assertThat(cloche.run(words).exitCode()).isZero();
    }

    /** As a list shows it; the epoch if it shows none. */
    private static Instant shown() {
        Matcher found = DEADLINE.matcher(cloche.run("ps", "--format", "json").stdout());
        return found.find() ? Instant.parse(found.group(1)) : Instant.EPOCH;
    }

    private static Instant extended(String... words) {
        Result done = cloche.run(words);
        assertThat(done.exitCode()).as(done.stderr()).isZero();
        return Instant.parse(done.stdout().strip());
    }

    /** A sweep of any command would suspend it; after this one none is due for half a minute. */
    private static void held() {
        assertThat(cloche.run("maintain").exitCode()).isZero();
        extended("extend", "--from-now", "web", "1s");
        await().until(() -> cloche.run("ps").stdout().contains("running (held)"));
    }

    private static void endsByIt() {
        extended("extend", "--from-now", "web", "1s");
        assertThat(cloche.run("wait", "web").stdout()).startsWith("stopped max-duration-exceeded");
        Result late = cloche.run("extend", "web", "1h");
        assertThat(late.exitCode()).isEqualTo(1);
        assertThat(late.stderr()).contains("is not running");
        assertThat(cloche.run("rm", "web").exitCode()).isZero();
    }

    @Test
    void aSandboxOutlivesItsFirstDeadlineAndEndsAtTheSecond() {
        started();
        Result none = cloche.run("extend", "web", "1h");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.stderr()).contains("has no deadline", "cloche extend --from-now");
        // Long enough for the next command on a busy host; then the guest sees it pass, by its own clock.
        Instant first = extended("extend", "--from-now", "web", "15s");
        Instant second = extended("extend", "web", "1h");
        assertThat(second).isAfter(first.plusSeconds(3000));
        assertThat(cloche.run("exec", "web", "--", "sleep", "16").exitCode()).isZero();
        assertThat(cloche.run("ps").stdout()).contains("running (ends in ");
        endsByIt();
    }

    @Test
    void theOwnerMayBeKilledInBetween() throws Exception {
        Process keeper = cloche.start("keep");
        try {
            started("--max-duration", "1h");
            Instant first = shown();
            assertThat(first).isAfter(Instant.now()).isBefore(Instant.now().plusSeconds(3600));
            Instant second = extended("extend", "web", "1h");
            keeper.destroyForcibly();
            assertThat(keeper.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(extended("extend", "web", "1h")).isAfter(second.plusSeconds(3000));
            endsByIt();
        } finally {
            keeper.destroyForcibly();
        }
    }

    @Test
    void anEndThatWasAskedForIsNotPutOff() throws Exception {
        assertThat(cloche.run("run", "-d", "--name", "web", "--max-duration", "1h", "base", "--", "sh", "-c", DEAF)
                        .exitCode())
                .isZero();
        await().until(() -> cloche.run("logs", "web").stdout().equals("ready\n"));
        Process stop = cloche.start("stop", "-t", "1h", "web");
        await().until(() -> cloche.run("ps").stdout().contains("draining"));
        Result refused = cloche.run("extend", "web", "2h");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.stderr()).contains("is ending (shutdown-requested)");
        assertThat(cloche.run("kill", "web").exitCode()).isZero();
        assertThat(stop.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(cloche.run("rm", "web").exitCode()).isZero();
    }

    @Test
    void aKeeperSuspendsItAtItsDeadlineAndItGoesOnWithTheSamePids() throws Exception {
        Process keeper = cloche.start("keep");
        try {
            started("--max-duration", "1h", "--on-deadline", "suspend");
            String pid = cloche.run("exec", "web", "--", "pidof", "sleep").stdout();
            extended("extend", "--from-now", "web", "8s");
            assertThat(cloche.run("wait", "--for", "suspended,stopped", "web").stdout())
                    .startsWith("suspended");
            assertThat(cloche.run("resume", "web").exitCode()).isZero();
            assertThat(cloche.run("exec", "web", "--", "pidof", "sleep").stdout())
                    .isEqualTo(pid);
            assertThat(shown()).isAfter(Instant.now().plusSeconds(3000));
            assertThat(cloche.run("rm", "--force", "web").exitCode()).isZero();
        } finally {
            keeper.destroyForcibly();
        }
    }

    @Test
    void withNoProcessToSuspendItItsGuardHoldsIt() {
        started("--max-duration", "1h", "--on-deadline", "suspend");
        String pid = cloche.run("exec", "web", "--", "pidof", "sleep").stdout();
        held();
        Result exec = cloche.run("exec", "web", "--", "true");
        assertThat(exec.exitCode()).isEqualTo(125);
        assertThat(exec.stderr()).contains("has come to its deadline and is halted", "Extend its deadline");
        assertThat(cloche.run("resume", "web").stderr()).contains("has come to its deadline");

        assertThat(extended("extend", "web", "1h")).isAfter(Instant.now().plusSeconds(3000));
        assertThat(cloche.run("exec", "web", "--", "pidof", "sleep").stdout()).isEqualTo(pid);

        held();
        assertThat(cloche.run("maintain").exitCode()).isZero();
        assertThat(cloche.run("ps", "-a").stdout()).contains("suspended");
        assertThat(cloche.run("resume", "web").exitCode()).isZero();
        assertThat(cloche.run("exec", "web", "--", "pidof", "sleep").stdout()).isEqualTo(pid);
        assertThat(shown()).isAfter(Instant.now().plusSeconds(3000));
        assertThat(cloche.run("events", "--since", "1h", "--no-follow", "--filter", "sandbox=web")
                        .stdout())
                .contains("running web (held)");

        held();
        assertThat(cloche.run("suspend", "web").exitCode()).isZero();
        assertThat(cloche.run("resume", "web").exitCode()).isZero();
        assertThat(shown()).isAfter(Instant.now().plusSeconds(3000));

        held();
        assertThat(cloche.run("stop", "-t", "5m", "web").exitCode()).isZero();
        assertThat(cloche.run("ps", "-a").stdout()).contains("stopped (signal 15)");
        assertThat(cloche.run("rm", "web").exitCode()).isZero();
    }

    @Test
    void theProcessThatStartedItSuspendsItAndSaysSo() throws Exception {
        Process client = cloche.start(
                "run",
                "--name",
                "web",
                "--max-duration",
                "1h",
                "--on-deadline",
                "suspend",
                "base",
                "--",
                "sh",
                "-c",
                "echo ready; exec sleep 6000");
        assertThat(client.inputReader().readLine()).isEqualTo("ready");
        extended("extend", "--from-now", "web", "6s");
        assertThat(client.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(client.exitValue()).isEqualTo(125);
        assertThat(Program.text(client.getErrorStream())).contains("was suspended", "cloche resume web");
        assertThat(cloche.run("ps").stdout()).contains("suspended");
        assertThat(cloche.run("rm", "web").exitCode()).isZero();
    }

    @Test
    void itStandsStillWhileTheSandboxIsSuspended() {
        started("--max-duration", "1h");
        Instant before = extended("extend", "web", "1h");
        assertThat(cloche.run("suspend", "web").exitCode()).isZero();
        assertThat(shown()).isEqualTo(Instant.EPOCH);
        assertThat(cloche.run("extend", "web", "1h").stderr()).contains("is not running", "cloche resume web");
        assertThat(cloche.run("resume", "web").exitCode()).isZero();
        assertThat(shown()).isAfter(before);
        endsByIt();
    }
}
