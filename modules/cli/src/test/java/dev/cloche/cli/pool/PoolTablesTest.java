package dev.cloche.cli.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.PoolInfo;
import dev.cloche.Ready;
import dev.cloche.cli.terminal.Table;
import dev.cloche.vm.Network;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PoolTablesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void theListHasTheDepthsAndTheCheckOfEachPool() {
        List<PoolInfo> pools = List.of(
                pool(4, 1, List.of("curl", "-f\u001b[2J", "localhost"), Optional.empty()),
                pool(2, 2, List.of(), List.of(Ready.port(5432), Ready.http(8000, "/health")), Optional.empty()),
                pool(2, 2, List.of(), Optional.empty()));
        assertThat(lines(PoolTables.settings(pools)))
                .containsExactly(
                        "IMAGE   MEMORY   CPUS   NETWORK   DEPTH   READY   MAKING   MAX AGE   CHECK",
                        "base    256m     1      none      1-4     1       0        600s      curl -f?[2J localhost",
                        "base    256m     1      none      2       1       0        600s      port 5432, GET 8000/health",
                        "base    256m     1      none      2       1       0        600s      -");
    }

    @Test
    void theCountsHaveTheTimeUntilTheNextAttempt() {
        List<PoolInfo> pools = List.of(
                pool(4, 1, List.of(), Optional.of(NOW.plusMillis(11_500))),
                pool(2, 2, List.of(), Optional.of(NOW.minusSeconds(3))),
                pool(2, 2, List.of(), Optional.empty()));
        assertThat(lines(PoolTables.counts(pools, Clock.fixed(NOW, ZoneOffset.UTC))))
                .containsExactly(
                        "IMAGE   MEMORY   CPUS   NETWORK   READY   HITS   MISSES   MADE   FAILED   RETRY IN   LAST ERROR",
                        "base    256m     1      none      1/1-4   5      6        7      8        12s        it ended with 1",
                        "base    256m     1      none      1/2     5      6        7      8        0s         it ended with 1",
                        "base    256m     1      none      1/2     5      6        7      8        -          it ended with 1");
    }

    private static PoolInfo pool(int depth, int minDepth, List<String> check, Optional<Instant> retryAt) {
        return pool(depth, minDepth, check, List.of(), retryAt);
    }

    private static PoolInfo pool(
            int depth, int minDepth, List<String> check, List<Ready> probes, Optional<Instant> retryAt) {
        return new PoolInfo(
                "base",
                Optional.empty(),
                256,
                1,
                Network.NONE,
                depth,
                minDepth,
                Optional.empty(),
                Duration.ofMinutes(10),
                check,
                probes,
                false,
                NOW,
                1,
                0,
                5,
                6,
                7,
                8,
                Optional.of("it ended with 1"),
                retryAt);
    }

    private static List<String> lines(Table table) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        table.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
