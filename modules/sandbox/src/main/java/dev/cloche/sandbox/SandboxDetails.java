package dev.cloche.sandbox;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Describes all that is recorded of a sandbox.
 *
 * @param main what it runs; empty if an older Cloche made it, which did not record that
 * @param runs those that are kept, the latest first
 * @param starts how those began whose guest has answered, in no order
 */
public record SandboxDetails(
        SandboxRecord sandbox,
        Map<String, String> labels,
        Optional<MainCommand> main,
        List<RunRecord> runs,
        List<RunStart> starts) {
    public SandboxDetails {
        labels = Map.copyOf(labels);
        runs = List.copyOf(runs);
        starts = List.copyOf(starts);
    }
}
