package dev.cloche.sandbox;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Describes the row of a sandbox with its latest run.
 *
 * @param id never used again, also after the sandbox is removed
 * @param directory name of the directory of its files; a rename leaves it as it is
 * @param image as it was asked for
 * @param manifest digest of the image that it has got and keeps; empty until it has been started once
 * @param command the main command for people to read; empty if it has none
 * @param diskMib the size of its writable disk; empty if it writes to its memory
 * @param restarts how often its restart policy has started it in a row
 * @param updatedAt when its status changed last
 */
public record SandboxRecord(
        long id,
        String name,
        String directory,
        String image,
        Optional<String> manifest,
        String command,
        SandboxStatus status,
        boolean ephemeral,
        int memoryMib,
        int cpus,
        OptionalInt diskMib,
        SandboxPolicies policies,
        int restarts,
        Instant createdAt,
        Instant updatedAt,
        Optional<RunRecord> latestRun) {

    /** Says whether its guest has answered and it has not ended, as far as is recorded. */
    public boolean isLive() {
        return status.active() && status != SandboxStatus.STARTING && !status.suspends();
    }
}
