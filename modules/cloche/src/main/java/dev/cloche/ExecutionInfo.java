package dev.cloche;

import java.time.Instant;
import java.util.Optional;

/**
 * A command of a sandbox that runs, or that has ended and is kept. Times are by the guest's clock, and all of it is the
 * guest's word.
 *
 * <pre>{@code
 * for (ExecutionInfo info : sandbox.executions()) {
 *     System.out.println(info.id() + " " + info.program() + " " + info.exit());
 * }
 * }</pre>
 *
 * @param id for {@link Sandbox#attach}, unsigned
 * @param processId in the guest, unsigned
 * @param program its file or name
 * @param terminal whether it has a terminal
 * @param acknowledged whether its output is kept until it is acknowledged
 * @param attached whether somebody reads its output at present
 * @param exit how it ended; empty while it runs
 */
public record ExecutionInfo(
        int id,
        int processId,
        String program,
        boolean terminal,
        boolean acknowledged,
        boolean attached,
        Instant startedAt,
        Optional<Exit> exit) {
    static ExecutionInfo of(dev.cloche.vm.ExecutionInfo execution) {
        return new ExecutionInfo(
                execution.id(),
                execution.processId(),
                execution.program(),
                execution.terminal(),
                execution.acknowledged(),
                execution.attached(),
                execution.startedAt(),
                execution.end().map(Exit::of));
    }
}
