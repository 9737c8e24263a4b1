package dev.cloche.sandbox;

import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmExit;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a run ended, as it is recorded.
 *
 * @param exitCode of the main command, where it is known
 * @param exitSignal that ended the main command, or the VM's process if the reason is {@link TerminationReason#SIGNAL}
 * @param detail one sentence for people
 */
public record Ending(TerminationReason reason, OptionalInt exitCode, OptionalInt exitSignal, String detail) {

    /**
     * Reads the truth from how the VM ended.
     *
     * @param requested whether somebody had asked for the end
     */
    static Ending of(VmExit exit, boolean requested) {
        Optional<ExitStatus> main = exit.mainExit();
        if (main.isPresent()) {
            return ofMain(main.get());
        }
        boolean saidGoodbye = exit.goodbye().map(Goodbye::reason).stream()
                .anyMatch(reason -> reason == Goodbye.Reason.SHUTDOWN_REQUESTED);
        if (saidGoodbye) {
            return plain(TerminationReason.SHUTDOWN_REQUESTED, "The guest was shut down.");
        }
        if (requested && exit.cause() != VmExit.Cause.MAX_DURATION) {
            return plain(TerminationReason.SHUTDOWN_REQUESTED, "The VM was ended on request.");
        }
        return switch (exit.cause()) {
            case MAX_DURATION ->
                plain(TerminationReason.MAX_DURATION_EXCEEDED, "It reached the longest time that it was given.");
            case STOPPED -> plain(TerminationReason.SHUTDOWN_REQUESTED, "The guest was asked to shut down.");
            case OWNER_GONE -> internal("The process that it was attached to is gone.");
            case POOL_AGE -> internal("It waited too long in a pool.");
            case NETWORK_ENDED -> internal("The program of its network ended.");
            case GUARD_LOST -> internal("Its guard was killed.");
            case KILLED -> internal("Its guard was told to end it, by somebody other than Cloche.");
            case EXITED -> {
                if (exit.processSignal().isPresent()) {
                    yield new Ending(
                            TerminationReason.SIGNAL,
                            OptionalInt.empty(),
                            exit.processSignal(),
                            "A signal ended the VM's process.");
                }
                yield internal("The VM ended without a word from its guest.");
            }
        };
    }

    /** The main command ended, and the sandbox with it. */
    static Ending ofMain(ExitStatus status) {
        TerminationReason reason = status.success() ? TerminationReason.COMPLETED : TerminationReason.FAILED;
        return switch (status) {
            case ExitStatus.Exited(int code) ->
                new Ending(reason, OptionalInt.of(code), OptionalInt.empty(), "The main command exited.");
            case ExitStatus.Signalled(int signal) ->
                new Ending(reason, OptionalInt.empty(), OptionalInt.of(signal), "A signal ended the main command.");
        };
    }

    /** Its owner closed it, as intended. */
    static Ending closed() {
        return plain(TerminationReason.COMPLETED, "Its owner closed it.");
    }

    /**
     * Reads the truth from what is left of a VM that does not run.
     *
     * @param exit how it ended; empty if nothing says so
     */
    static Ending ofLeftover(Optional<VmExit> exit, boolean requested) {
        if (exit.isPresent()) {
            return of(exit.get(), requested);
        }
        return requested ? plain(TerminationReason.SHUTDOWN_REQUESTED, "It was ended on request.") : vanished();
    }

    /** Nothing of it is left, and nothing says why. */
    static Ending vanished() {
        return internal("It never started, or its VM is gone without a trace.");
    }

    private static Ending internal(String detail) {
        return plain(TerminationReason.INTERNAL_ERROR, detail);
    }

    private static Ending plain(TerminationReason reason, String detail) {
        return new Ending(reason, OptionalInt.empty(), OptionalInt.empty(), detail);
    }
}
