package dev.cloche.cli.option;

import java.time.Duration;
import picocli.CommandLine.Option;

/** The option for how long a start waits where the limits of the host leave no room. */
public final class WaitForRoomOption {
    @Option(
            names = "--wait-for-room",
            paramLabel = "TIME",
            description =
                    "How long to wait, in turn, while the limits of config.toml leave no room for it (default: not at"
                            + " all).",
            converter = TimeSpan.class)
    private Duration longest = Duration.ZERO;

    public Duration longest() {
        return longest;
    }
}
