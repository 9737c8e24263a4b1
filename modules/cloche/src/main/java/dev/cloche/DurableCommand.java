package dev.cloche;

import dev.cloche.process.ProcessView;
import dev.cloche.sandbox.CommandOptions;
import java.util.function.Function;

/**
 * A command in a running sandbox that outlives this process, as a {@linkplain Processes process} of this host.
 *
 * <pre>{@code
 * cloche.driveCommands(); // here, or in another program that stays, such as `cloche keep`
 * ProcessView build = cloche.processes().command("box", "make", "-j2").workingDirectory("/src").start();
 * // then, or in another program:
 * cloche.processes().await(build.id(), Duration.ofHours(1));
 * }</pre>
 */
public final class DurableCommand extends CommandSetup<DurableCommand> {
    private final Function<CommandOptions, ProcessView> starter;

    DurableCommand(Function<CommandOptions, ProcessView> starter) {
        this.starter = starter;
    }

    /**
     * Records the command as a process, starts it and returns when it runs. One that cannot be started is a process that has
     * failed. If the guest does not answer in time, the process is recorded as running, and its driver finds out whether the
     * command runs. An interrupt does not cut this short; the thread keeps it.
     *
     * @throws dev.cloche.base.ClocheException if there is no such sandbox or it does not run
     */
    public ProcessView start() {
        return starter.apply(options());
    }

    @Override
    DurableCommand self() {
        return this;
    }
}
