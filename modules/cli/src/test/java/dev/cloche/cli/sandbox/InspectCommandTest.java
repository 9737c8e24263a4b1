package dev.cloche.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.RestartPolicy;
import dev.cloche.SandboxInfo;
import dev.cloche.SandboxInspection;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class InspectCommandTest {
    @Test
    void peopleAreShownWhyARunEndedAndHowItsCommandRuns() {
        assertThat(printed(sandbox()).lines())
                .anyMatch(line -> line.matches("env +LEVEL=3"))
                .anyMatch(line -> line.matches("user +www"))
                .anyMatch(line -> line.matches("working directory +/srv"))
                .anyMatch(line -> line.matches("start timeout +PT1M"))
                .anyMatch(line -> line.matches("kept runs +5"))
                .anyMatch(line -> line.matches("stop signal +SIGQUIT"))
                .anyMatch(line -> line.matches("7 .*internal-error +- +9 +yes +The VM was killed\\."));
    }

    private static String printed(SandboxInspection sandbox) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        InspectCommand.print(sandbox, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static SandboxInspection sandbox() {
        Instant start = Instant.parse("2026-11-22T10:00:00Z");
        SandboxInfo info = new SandboxInfo(
                1,
                "web",
                "nginx",
                "nginx -g x",
                "crashed",
                false,
                true,
                256,
                1,
                start,
                Optional.of("internal-error"),
                OptionalInt.empty(),
                OptionalInt.of(9),
                List.of(),
                Optional.empty(),
                Optional.empty());
        SandboxInspection.Run run = new SandboxInspection.Run(
                7,
                "vm-7",
                "terminated",
                true,
                OptionalLong.of(11),
                12,
                start,
                Optional.of(start),
                Optional.empty(),
                Optional.of(start.plusSeconds(9)),
                Optional.empty(),
                Optional.of("internal-error"),
                OptionalInt.empty(),
                OptionalInt.of(9),
                true,
                Optional.of("The VM was killed."));
        return new SandboxInspection(
                info,
                Optional.empty(),
                OptionalInt.empty(),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Duration.ofMinutes(1),
                RestartPolicy.no(),
                0,
                5,
                Optional.of(new SandboxInspection.Command(
                        List.of("nginx", "-g", "x"),
                        Map.of("LEVEL", "3"),
                        Optional.of("/srv"),
                        Optional.of("www"),
                        Optional.of("SIGQUIT"),
                        true)),
                List.of(run));
    }
}
