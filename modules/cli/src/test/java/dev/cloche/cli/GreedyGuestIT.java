package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Guests that write all the time, on a disk that they have filled: they do not get what the reserve gives up. */
class GreedyGuestIT {
    private static final long RESERVE = 16 << 20;

    private static Path home = Path.of("");
    private static Program cloche = Program.in(home);
    private static boolean mounted;

    @BeforeAll
    static void begin() throws Exception {
        Assumptions.assumeTrue(Program.isRoot(), "only root can mount a small file system");
        home = Files.createTempDirectory("cloche-greedy");
        Program.run(List.of("mount", "-t", "tmpfs", "-o", "mode=700,size=120m", "none", home.toString()));
        mounted = true;
        cloche = Program.in(home);
    }

    @AfterAll
    static void unmount() throws Exception {
        if (mounted) {
            cloche.run("rm", "-f", "fills", "talks");
            Program.run(List.of("umount", home.toString()));
            Files.delete(home);
        }
    }

    private static Result good(String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode())
                .as("%s: %s", String.join(" ", arguments), result)
                .isZero();
        return result;
    }

    private static void detached(String name, String disk, String script) {
        good("run", "-q", "-d", "-m", "128m", "--name", name, "--disk", disk, "base", "--", "sh", "-c", script);
    }

    @Test
    void commandsWorkForAsLongAsGuestsWriteAndTheReserveIsMadeWholeBeforeTheyGoOn() throws Exception {
        good("ps");
        good("maintain");
        assertThat(home.resolve("reserve")).hasSize(RESERVE);
        // The one is halted by its disk; the other has none, and what it says goes to a log of the host.
        detached("fills", "4g", "while head -c 1000000 /dev/urandom; do sync; done >/big");
        detached("talks", "0", "echo said; exec yes 0123456789012345678901234567890123456789012345678901234567");
        await().until(() -> good("ps").stdout().contains("running (disk full)"));

        for (int i = 0; i < 40; i++) {
            switch (i % 3) {
                case 0 -> assertThat(good("ps").stdout()).contains("fills", "talks");
                case 1 -> assertThat(good("images").stdout()).contains("base");
                default ->
                    assertThat(good("logs", "--tail", "1", "talks").exitCode()).isZero();
            }
        }
        assertThat(Files.size(home.resolve("reserve")))
                .as("what is left of the reserve")
                .isGreaterThan(RESERVE / 4 * 3);

        good("kill", "talks");
        Program.run(List.of("mount", "-o", "remount,size=300m", home.toString()));
        await().until(() -> Files.exists(home.resolve("vms")) && !isHalted());
        assertThat(home.resolve("reserve")).hasSize(RESERVE);
    }

    private static boolean isHalted() {
        return good("ps", "--format", "json").stdout().contains("disk full");
    }
}
