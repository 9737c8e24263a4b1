package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one sandbox leaves to the next, under limits that have room for one. */
class LimitsIT extends OnOneHome {
    private static final String SHORT_OF_MEMORY = "this host is short of memory";

    @BeforeEach
    void limit() throws IOException {
        cloche.environment().put("CLOCHE_LIMITS", "on");
        Files.writeString(home.resolve("config.toml"), """
                [limits]
                memory = "900m"
                memory-floor = "off"
                pressure = "off"
                disk-floor = "off"
                """);
    }

    private static long waiting() throws IOException {
        Path tickets = home.resolve("admission");
        if (!Files.isDirectory(tickets)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(tickets)) {
            return files.count();
        }
    }

    @Test
    void aSandboxWithoutRoomIsRefusedOrWaitsUntilThereIsSome() throws Exception {
        assertThat(cloche.run("run", "-d", "--name", "one", "base", "--", "sleep", "1000")
                        .exitCode())
                .isZero();
        assertThat(cloche.run("create", "--name", "two", "base", "--", "true").exitCode())
                .isZero();

        Result refused = cloche.run("run", "base", "--", "true");
        assertThat(refused.exitCode()).isEqualTo(125);
        assertThat(refused.stderr())
                .contains("There is no room for a VM of ", "of the 900 MiB of all VMs, ", "held by VM ")
                .contains("--wait-for-room", "[limits] of config.toml");
        Result never = cloche.run("run", "--memory", "2g", "--wait-for-room", "1h", "base", "--", "true");
        assertThat(never.exitCode()).isEqualTo(125);
        assertThat(never.stderr()).contains("never has room: the limit is 900 MiB of all VMs");
        assertThat(cloche.run("start", "two").exitCode()).isEqualTo(1);
        assertThat(cloche.run("doctor").stdout())
                .containsPattern("ok +limits +1 VM claims [0-9]+ of 900 MiB of memory");

        Process third = cloche.start("run", "--wait-for-room", "1h", "base", "--", "echo", "in");
        third.getOutputStream().close();
        await().until(() -> waiting() == 1);
        assertThat(cloche.run("rm", "--force", "one").exitCode()).isZero();
        assertThat(new String(third.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("in\n");
        assertThat(third.waitFor()).isZero();
        assertThat(waiting()).isZero();
        assertThat(cloche.run("rm", "two").exitCode()).isZero();
    }

    @Test
    void aStateRootThatTakesTooMuchOfItsDiskStartsNothingAndPrunesCountItAnew() throws IOException {
        Files.writeString(home.resolve("config.toml"), "state-disk = \"1m\"\n", StandardOpenOption.APPEND);
        assertThat(cloche.run("maintain").exitCode()).isZero();
        Result refused = cloche.run("run", "base", "--", "true");
        assertThat(refused.exitCode()).isEqualTo(125);
        assertThat(refused.stderr())
                .containsPattern(
                        "by the last count the state root takes [0-9,]+ MiB of its disk, and 1 MiB are allowed")
                .contains("cloche system df", "cloche system prune", "cloche maintain", "state-disk in [limits]")
                .doesNotContain("held by");
        assertThat(cloche.run("doctor").stdout())
                .containsPattern("ok +limits .*the state root takes [0-9]+ of the 1 MiB of disk that it may");

        for (String group : List.of("system", "image", "template", "process")) {
            Files.delete(home.resolve("disk-use"));
            assertThat(cloche.run(group, "prune", "--unused-for", "1h").exitCode())
                    .isZero();
            assertThat(home.resolve("disk-use")).exists();
        }
    }

    @Test
    void limitsThatAreOffCountNothing() {
        cloche.environment().put("CLOCHE_LIMITS", "off");
        assertThat(cloche.run("run", "--memory", "1g", "base", "--", "true").exitCode())
                .isZero();
        assertThat(cloche.run("doctor").stdout()).containsPattern("ok +limits +off");
        cloche.environment().put("CLOCHE_LIMITS", "perhaps");
        Result unknown = cloche.run("run", "base", "--", "true");
        assertThat(unknown.exitCode()).isEqualTo(125);
        assertThat(unknown.stderr()).contains("CLOCHE_LIMITS", "neither on nor off");
    }

    @Test
    void aProcessThatKeepsPoolsGivesTheirMemoryBackWhereItIsShort() throws Exception {
        assertThat(cloche.run("pool", "set", "base", "-m", "256m", "--depth", "1")
                        .exitCode())
                .isZero();
        assertThat(cloche.run("pool", "fill", "-q").exitCode()).isZero();
        assertThat(cloche.vmDirectories()).hasSize(1);

        // More than any host has, so it has less.
        Files.writeString(home.resolve("config.toml"), "limits.memory-floor = \"1000t\"\n");
        Process keeper = cloche.withMakers().start("keep");
        BufferedReader said =
                new BufferedReader(new InputStreamReader(keeper.getErrorStream(), StandardCharsets.UTF_8));
        try {
            String line;
            do {
                line = said.readLine();
                assertThat(line).isNotNull();
            } while (!line.contains(SHORT_OF_MEMORY));
            await().until(() -> cloche.vmDirectories().isEmpty());
            assertThat(cloche.vmProcesses()).isEmpty();
        } finally {
            // Not by the process, which would close what is read below.
            keeper.toHandle().destroy();
        }
        assertThat(said.lines()).noneMatch(line -> line.contains(SHORT_OF_MEMORY));
        assertThat(cloche.run("pool", "rm", "base", "-m", "256m").exitCode()).isZero();
    }
}
