package dev.cloche.sandbox;

import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmExit;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a run ended, as it is recorded.
 *
 * @param asked whether somebody had asked for the end; restart policies leave such ends alone
 * @param exitCode of the main command, where it is known
 * @param exitSignal that ended the main command, or the VM's process if the reason is {@link TerminationReason#SIGNAL}
 * @param detail one sentence for people
 */
public record Ending(
        TerminationReason reason, boolean asked, OptionalInt exitCode, OptionalInt exitSignal, String detail) {
    private static final int SIGKILL = 9;

    /** Where its sandbox is then. */
    public SandboxStatus status() {
        return reason.status(asked);
    }

    /**
     * Reads the truth from how the VM ended.
     *
     * @param asked why somebody had begun to end it, if somebody had
     */
    static Ending of(VmExit exit, Optional<TerminationReason> asked) {
        Optional<ExitStatus> main = exit.mainExit();
        if (main.isPresent()) {
            return asked.map(why -> ofAskedMain(why, main.get())).orElseGet(() -> ofMain(main.get(), false));
        }
        if (exit.cause() == VmExit.Cause.MAX_DURATION) {
            return plain(
                    TerminationReason.MAX_DURATION_EXCEEDED, false, "It reached the longest time that it was given.");
        }
        boolean saidGoodbye = exit.goodbye().map(Goodbye::reason).stream()
                .anyMatch(reason -> reason == Goodbye.Reason.SHUTDOWN_REQUESTED);
        if (saidGoodbye && asked.orElse(TerminationReason.SHUTDOWN_REQUESTED) == TerminationReason.SHUTDOWN_REQUESTED) {
            return plain(TerminationReason.SHUTDOWN_REQUESTED, true, "The guest was shut down.");
        }
        if (asked.isPresent()) {
            return ofAsked(asked.get());
        }
        return switch (exit.cause()) {
            case MAX_DURATION, STOPPED ->
                plain(TerminationReason.SHUTDOWN_REQUESTED, true, "The guest was asked to shut down.");
            case OWNER_GONE -> internal("The process that it was attached to is gone.");
            case POOL_AGE -> internal("It waited too long in a pool.");
            case NETWORK_ENDED -> internal("The program of its network ended.");
            case GUARD_LOST -> internal("Its guard was killed.");
            case KILLED -> internal("Its guard was told to end it, by somebody other than Cloche.");
            case EXITED ->
                exit.processSignal().isPresent()
                        ? new Ending(
                                TerminationReason.SIGNAL,
                                false,
                                OptionalInt.empty(),
                                exit.processSignal(),
                                "A signal ended the VM's process.")
                        : internal("The VM ended without a word from its guest.");
        };
    }

    /** The main command of a detached sandbox ends with it, by the signal of the shutdown or as it likes. */
    private static Ending ofAskedMain(TerminationReason asked, ExitStatus status) {
        Ending main = ofMain(status, true);
        Ending why = ofAsked(asked);
        return new Ending(why.reason(), why.asked(), main.exitCode(), main.exitSignal(), why.detail());
    }

    /** The end that was asked for has come. */
    private static Ending ofAsked(TerminationReason asked) {
        return switch (asked) {
            case SIGNAL ->
                new Ending(asked, true, OptionalInt.empty(), OptionalInt.of(SIGKILL), "It was killed on request.");
            case IDLE_TIMEOUT -> plain(asked, true, "Nobody had used it for as long as its idle timeout says.");
            case DRAIN_REQUESTED -> plain(asked, true, "It was ended on request, after the commands in it.");
            // Nobody wanted this end as such: its owner gave the guest up.
            case AGENT_UNRESPONSIVE -> unresponsive();
            case SHUTDOWN_REQUESTED -> plain(asked, true, "The VM was ended on request.");
            case COMPLETED, FAILED, MAX_DURATION_EXCEEDED, INTERNAL_ERROR ->
                throw new IllegalArgumentException("nobody asks for an end as " + asked);
        };
    }

    /** Its guest did not answer its owner, or answered what makes no sense. */
    static Ending unresponsive() {
        return plain(
                TerminationReason.AGENT_UNRESPONSIVE, false, "Its guest did not answer as it should, and was killed.");
    }

    /** The main command ended, and the sandbox with it. */
    static Ending ofMain(ExitStatus status, boolean asked) {
        TerminationReason reason = status.success() ? TerminationReason.COMPLETED : TerminationReason.FAILED;
        return switch (status) {
            case ExitStatus.Exited(int code) ->
                new Ending(reason, asked, OptionalInt.of(code), OptionalInt.empty(), "The main command exited.");
            case ExitStatus.Signalled(int signal) ->
                new Ending(
                        reason, asked, OptionalInt.empty(), OptionalInt.of(signal), "A signal ended the main command.");
        };
    }

    /** Its owner closed it, as intended. */
    static Ending closed() {
        return plain(TerminationReason.COMPLETED, true, "Its owner closed it.");
    }

    /**
     * Reads the truth from what is left of a VM that does not run.
     *
     * @param exit how it ended; empty if nothing says so
     */
    static Ending ofLeftover(Optional<VmExit> exit, Optional<TerminationReason> asked) {
        if (exit.isPresent()) {
            return of(exit.get(), asked);
        }
        return asked.map(Ending::ofAsked).orElseGet(Ending::vanished);
    }

    /** A start whose process died in the middle. */
    static Ending abandonedStart() {
        return internal("The process that was starting it is gone.");
    }

    /** Nothing of it is left, and nothing says why. */
    static Ending vanished() {
        return internal("It never started, or its VM is gone without a trace.");
    }

    /**
     * It did not come up.
     *
     * @param unanswered whether that was because its guest did not answer
     */
    static Ending ofFailedStart(Throwable failure, boolean unanswered) {
        String why = failure.getMessage();
        return plain(
                unanswered ? TerminationReason.AGENT_UNRESPONSIVE : TerminationReason.INTERNAL_ERROR,
                false,
                "It did not start" + (why == null ? "." : ": " + why));
    }

    private static Ending internal(String detail) {
        return plain(TerminationReason.INTERNAL_ERROR, false, detail);
    }

    private static Ending plain(TerminationReason reason, boolean asked, String detail) {
        return new Ending(reason, asked, OptionalInt.empty(), OptionalInt.empty(), detail);
    }
}
