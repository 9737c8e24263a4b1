package dev.cloche;

import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmHindrance;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Tells what is recorded of a sandbox, after it was compared with what really runs.
 *
 * <pre>{@code
 * cloche.sandboxes().list().forEach(info -> System.out.println(info.name() + " " + info.status()));
 * }</pre>
 *
 * @param id unique on this host, never used twice
 * @param name its name, given or generated
 * @param image the reference that it was started from, as it was given
 * @param command what {@link SandboxBuilder#command} was given, joined by blanks; empty if nothing was
 * @param ephemeral whether it is removed when it ends
 * @param detached whether it outlives the process that started it
 * @param memoryMib the guest's memory in MiB
 * @param cpus the guest's virtual CPUs
 * @param createdAt when it was recorded
 * @param termination how its latest run ended; empty while it runs, and before the first
 * @param ports those of this host that lead to it while it runs
 * @param hindrance why its guest does not work although it runs; empty if it does, or does not run
 * @param deadline when it is ended by its limit, by the wall clock as it is now; empty if it has none, is suspended or does not
 *     run
 */
public record SandboxInfo(
        long id,
        String name,
        String image,
        String command,
        SandboxStatus status,
        boolean ephemeral,
        boolean detached,
        int memoryMib,
        int cpus,
        Instant createdAt,
        Optional<Termination> termination,
        List<PublishedPort> ports,
        Optional<VmHindrance> hindrance,
        Optional<Instant> deadline) {
    /** Copies the list. */
    public SandboxInfo {
        ports = List.copyOf(ports);
    }

    static SandboxInfo of(SandboxRecord sandbox, SandboxManager room) {
        Optional<RunRecord> run = sandbox.latestRun();
        return new SandboxInfo(
                sandbox.id(),
                sandbox.name(),
                sandbox.image(),
                sandbox.command(),
                sandbox.status(),
                sandbox.ephemeral(),
                run.map(RunRecord::detached).orElse(false),
                sandbox.memoryMib(),
                sandbox.cpus(),
                sandbox.createdAt(),
                run.flatMap(RunRecord::termination),
                room.publishedPorts(sandbox),
                room.hindrance(sandbox),
                room.deadline(sandbox));
    }
}
