package dev.cloche;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the record says of a sandbox, after it was held against what really runs.
 *
 * <pre>{@code
 * cloche.sandboxes().forEach(info -> System.out.println(info.name() + " " + info.status()));
 * }</pre>
 *
 * @param status one of {@code created, starting, running, draining, stopped, crashed}
 * @param command the main command, or empty if it only serves executions
 * @param detached whether it outlives the process that started it
 * @param reason why its last run ended, for example {@code completed}; empty while it runs
 * @param exitCode of the main command, where it is known
 * @param exitSignal that killed the main command, where one did
 */
public record SandboxInfo(
        long id,
        String name,
        String image,
        String command,
        String status,
        boolean ephemeral,
        boolean detached,
        int memoryMib,
        int cpus,
        Instant createdAt,
        Optional<String> reason,
        OptionalInt exitCode,
        OptionalInt exitSignal) {}
