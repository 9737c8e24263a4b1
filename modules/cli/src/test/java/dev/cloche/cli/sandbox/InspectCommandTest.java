package dev.cloche.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.SandboxInfo;
import dev.cloche.SandboxInspection;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.StopSignal;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmIsolation;
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
                .anyMatch(line -> line.matches("start timeout +1m"))
                .anyMatch(line -> line.matches("kept runs +5"))
                .anyMatch(line -> line.matches("stop signal +SIGQUIT"))
                .anyMatch(
                        line -> line.matches(
                                "isolation +sealed \\(not more: namespaces: not allowed\\), refused calls: 2, in a control group"))
                .anyMatch(line -> line.matches("7 .*internal-error +- +9 +yes +The VM was killed\\."));
    }

    @Test
    void peopleAreShownWhichLimitsOfAGroupThereAreNot() {
        String with =
                InspectCommand.words(group(Optional.of("/g/cloche-vm-7"), "memory: the disk is in memory itself"));
        assertThat(with).isEqualTo("full, in a control group without memory: the disk is in memory itself");
        assertThat(InspectCommand.words(group(Optional.of("/g/cloche-vm-7"), "")))
                .isEqualTo("full, in a control group");
        assertThat(InspectCommand.words(group(Optional.empty(), "none is delegated")))
                .isEqualTo("full");
    }

    private static VmIsolation group(Optional<String> path, String missing) {
        return new VmIsolation(
                VmIsolation.Level.FULL, "", 0, Optional.of(new VmIsolation.Group(path, missing, OptionalLong.empty())));
    }

    private static String printed(SandboxInspection sandbox) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        InspectCommand.print(sandbox, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static SandboxInspection sandbox() {
        Instant start = Instant.parse("2026-11-22T10:00:00Z");
        Termination end = new Termination(
                TerminationReason.INTERNAL_ERROR,
                false,
                OptionalInt.empty(),
                OptionalInt.of(9),
                true,
                "The VM was killed.");
        SandboxInfo info = new SandboxInfo(
                1,
                "web",
                "nginx",
                "nginx -g x",
                SandboxStatus.CRASHED,
                false,
                true,
                256,
                1,
                start,
                Optional.of(end),
                List.of(),
                Optional.empty(),
                Optional.empty());
        SandboxInspection.Run run = new SandboxInspection.Run(
                7,
                new VmId("vm-7"),
                true,
                OptionalLong.of(11),
                12,
                start,
                Optional.of(start),
                Optional.empty(),
                Optional.of(start.plusSeconds(9)),
                Optional.empty(),
                Optional.of(end));
        return new SandboxInspection(
                info,
                Optional.empty(),
                OptionalInt.empty(),
                Map.of(),
                SandboxPolicies.none().withStartTimeout(Duration.ofMinutes(1)),
                0,
                Optional.of(new SandboxInspection.Command(
                        List.of("nginx", "-g", "x"),
                        Map.of("LEVEL", "3"),
                        Optional.of("/srv"),
                        Optional.of("www"),
                        Optional.of(StopSignal.parse("SIGQUIT")),
                        true)),
                List.of(run),
                Optional.of(new VmIsolation(
                        VmIsolation.Level.SEALED,
                        "namespaces: not allowed",
                        2,
                        Optional.of(new VmIsolation.Group(Optional.of("/g/cloche-vm-7"), "", OptionalLong.of(4096))))));
    }
}
