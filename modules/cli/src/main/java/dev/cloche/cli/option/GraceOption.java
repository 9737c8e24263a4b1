package dev.cloche.cli.option;

import java.time.Duration;
import picocli.CommandLine.Option;

/** The option for the grace that the processes of a sandbox or machine have to end. */
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
