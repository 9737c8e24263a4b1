package dev.cloche.sandbox;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that is recorded of a sandbox.
 *
 * @param main what it runs; empty if an older Cloche made it, which did not record that
 * @param runs those that are kept, the latest first
 */
public record SandboxDetails(
        SandboxRecord sandbox, Map<String, String> labels, Optional<MainCommand> main, List<RunRecord> runs) {
    public SandboxDetails {
        labels = Map.copyOf(labels);
        runs = List.copyOf(runs);
    }
}
