package dev.cloche.cli;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How long what runs in a machine may take to end. */
final class GraceOption {
    @Option(
            names = {"-t", "--time"},
            paramLabel = "TIME",
            description = "Time of grace, 0s for none (default: ${DEFAULT-VALUE}).",
            defaultValue = "10s",
            converter = TimeSpan.class)
    private Duration grace = Duration.ofSeconds(10);

    Duration grace() {
        return grace;
    }
}
