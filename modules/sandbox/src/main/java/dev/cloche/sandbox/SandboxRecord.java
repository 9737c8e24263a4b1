package dev.cloche.sandbox;

import java.time.Instant;
import java.util.Optional;

/**
 * The row of a sandbox with its latest run.
 *
 * @param id never used again, also after the sandbox is removed
 * @param command the main command for people to read; empty if it has none
 */
public record SandboxRecord(
        long id,
        String name,
        String image,
        String command,
        SandboxStatus status,
        boolean ephemeral,
        int memoryMib,
        int cpus,
        Instant createdAt,
        Optional<RunRecord> latestRun) {}
