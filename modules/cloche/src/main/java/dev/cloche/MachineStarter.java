package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.MachineException;
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
    private Duration waitForRoom = Duration.ZERO;

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
     * Has it wait for room, in turn, where the host's limits leave none; by default it is refused at once with {@code
     * limits.no-room} and stays as it was. No longer than the start may take. No other command changes the machine meanwhile.
     *
     * @throws dev.cloche.base.ClocheException if it is negative
     */
    public MachineStarter waitForRoom(Duration longest) {
        if (longest.isNegative()) {
            throw new MachineException.Invalid(
                    "A wait for room of " + longest + " is out of range.", "Give zero or more.");
        }
        waitForRoom = longest;
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
        return new Machine(room.start(name, waitForRoom, progress, deadline));
    }
}
