package dev.cloche.cli.option;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How long what runs in a sandbox or machine may take to end. */
public final class GraceOption {
    @Option(
            names = {"-t", "--time"},
            paramLabel = "TIME",
            description = "Time between SIGTERM and SIGKILL, 0s for none (default: ${DEFAULT-VALUE}).",
            defaultValue = "10s",
            converter = TimeSpan.class)
    private Duration grace = Duration.ofSeconds(10);

    public Duration grace() {
        return grace;
    }
}
