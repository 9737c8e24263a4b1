package dev.cloche;

import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.Termination;
import dev.cloche.vm.VmHindrance;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the record says of a sandbox, after it was held against what really runs.
 *
 * <pre>{@code
 * cloche.sandboxes().list().forEach(info -> System.out.println(info.name() + " " + info.status()));
 * }</pre>
 *
 * @param id unique on this host, never used twice
 * @param name its name, given or generated
 * @param image the reference that it was started from, as it was given
 * @param status one of {@code created, starting, running, paused, draining, stopped, crashed}
 * @param command what {@link SandboxBuilder#command} was given, joined by blanks; empty if nothing was
 * @param detached whether it outlives the process that started it
 * @param ephemeral whether it is removed when it ends
 * @param memoryMib the guest's memory in MiB
 * @param cpus the guest's virtual CPUs
 * @param createdAt when it was recorded
 * @param reason why its last run ended, for example {@code completed}; empty while it runs
 * @param exitCode of the main command, where it is known
 * @param exitSignal that killed the main command, where one did
 * @param ports those of this host that lead to it while it runs
 * @param hindrance why its guest does not work although it runs: {@code disk-full}, {@code disk-error} or {@code silent}; empty
 *     if it does, or does not run
 * @param remedy what to do about that
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
        OptionalInt exitSignal,
        List<PublishedPort> ports,
        Optional<String> hindrance,
        Optional<String> remedy) {
    static SandboxInfo of(SandboxRecord sandbox, dev.cloche.sandbox.SandboxManager room) {
        Optional<RunRecord> run = sandbox.latestRun();
        Optional<VmHindrance> hindrance = room.hindrance(sandbox);
        Optional<Termination> termination = run.flatMap(RunRecord::termination);
        return new SandboxInfo(
                sandbox.id(),
                sandbox.name(),
                sandbox.image(),
                sandbox.command(),
                Words.of(sandbox.status()),
                sandbox.ephemeral(),
                run.map(RunRecord::detached).orElse(false),
                sandbox.memoryMib(),
                sandbox.cpus(),
                sandbox.createdAt(),
                termination.map(end -> Words.of(end.reason())),
                termination.map(Termination::exitCode).orElse(OptionalInt.empty()),
                termination.map(Termination::exitSignal).orElse(OptionalInt.empty()),
                PublishedPort.of(room.publishedPorts(sandbox)),
                hindrance.map(Words::of),
                hindrance.map(VmHindrance::remedy));
    }
}
