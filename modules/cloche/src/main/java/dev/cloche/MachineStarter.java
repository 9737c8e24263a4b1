package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import java.time.Duration;
import java.util.Optional;

/**
 * A machine that is about to be started. Not safe for use from several threads.
 *
 * <pre>{@code
 * try (Machine dev = cloche.machine("dev").startTimeout(Duration.ofMinutes(2)).start()) { … }
 * }</pre>
 */
public final class MachineStarter {
    private final MachineManager room;
    private final MachineName name;
    private PullListener progress = PullListener.none();
    private Optional<Duration> startTimeout = Optional.empty();

    MachineStarter(MachineManager room, String name) {
        this.room = room;
        this.name = new MachineName(name);
    }

    /** Sets who is told of a pull, if its image is not here any more. */
    public MachineStarter progress(PullListener listener) {
        progress = listener;
        return this;
    }

    /** Sets what the start may take, with its image, its init and its provisioning; by default as long as they take. */
    public MachineStarter startTimeout(Duration longest) {
        startTimeout = Optional.of(longest);
        return this;
    }

    /**
     * Starts it, or continues it if it is suspended, and returns when it is usable; one that runs is connected to. It runs on
     * when the handle is closed and when this process ends.
     *
     * @throws dev.cloche.base.ClocheException if that fails or takes too long; then the machine does not run, and {@link
     *     MachineInfo#lastError} has the reason
     */
    public Machine start() {
        Deadline deadline = startTimeout.map(Deadline::after).orElseGet(Deadline::none);
        return new Machine(room.start(name, progress, deadline));
    }
}
