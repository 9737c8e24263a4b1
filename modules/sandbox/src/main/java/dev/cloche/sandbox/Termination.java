package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmExit;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Tells how a run ended, as it is recorded.
 *
 * @param asked whether the end had been asked for; restart policies leave such ends alone
 * @param exitCode of the main command, where it is known
 * @param exitSignal that ended the main command, or the VM's process if the reason is {@link TerminationReason#SIGNAL}
 * @param killed whether something of it had not ended in the time that it was given, and was killed
 * @param detail one sentence for people, or two
 */
public record Termination(
        TerminationReason reason,
        boolean asked,
        OptionalInt exitCode,
        OptionalInt exitSignal,
        boolean killed,
        String detail) {
    private static final int SIGKILL = 9;

    /** Describes that of one that was not killed for taking too long. */
    public Termination(
            TerminationReason reason, boolean asked, OptionalInt exitCode, OptionalInt exitSignal, String detail) {
        this(reason, asked, exitCode, exitSignal, false, detail);
    }

    /** Returns where its sandbox is then. */
    public SandboxStatus status() {
        return reason.status(asked);
    }

    /**
     * Reads the truth from how the VM ended.
     *
     * @param asked why the end had been asked for, if it had
     */
    public static Termination of(VmExit exit, Optional<TerminationReason> asked) {
        if (exit.cause() == VmExit.Cause.ISOLATION) {
            return brokeOut();
        }
        Optional<Goodbye> goodbye = exit.goodbye();
        boolean saidGoodbye =
                goodbye.map(Goodbye::reason).stream().anyMatch(reason -> reason == Goodbye.Reason.SHUTDOWN_REQUESTED);
        Optional<ExitStatus> main = exit.mainExit();
        if (main.isPresent() && !saidGoodbye) {
            return asked.map(why -> ofAsked(why).with(main.get())).orElseGet(() -> ofMain(main.get(), false));
        }
        if (exit.cause() == VmExit.Cause.MAX_DURATION) {
            return plain(
                    TerminationReason.MAX_DURATION_EXCEEDED, false, "It reached the longest time that it was given.");
        }
        if (saidGoodbye) {
            Termination why = asked.filter(reason -> reason != TerminationReason.SHUTDOWN_REQUESTED)
                    .map(Termination::ofAsked)
                    .orElseGet(() -> plain(TerminationReason.SHUTDOWN_REQUESTED, true, "The guest was shut down."));
            return main.map(why::with)
                    .orElse(why)
                    .killing(goodbye.map(Goodbye::killed).orElse(0));
        }
        if (asked.isPresent()) {
            Termination why = ofAsked(asked.get());
            return exit.cause() == VmExit.Cause.KILLED ? why.withVmKilled() : why;
        }
        return switch (exit.cause()) {
            case MAX_DURATION, STOPPED ->
                plain(TerminationReason.SHUTDOWN_REQUESTED, true, "The guest was asked to shut down.");
            case OWNER_GONE -> internal("The process that it was attached to is gone.");
            case POOL_AGE -> internal("It waited too long in a pool.");
            case NETWORK_ENDED -> internal("The program of its network ended.");
            case GUARD_LOST -> internal("Its guard was killed.");
            case KILLED -> internal("Its guard was told to end it, but not by Cloche.");
            case ISOLATION -> brokeOut();
            case OUT_OF_MEMORY ->
                internal(
                        "Out of memory: the kernel ended its VM, which had taken what it may, or its host had no more.");
            case EXITED ->
                exit.processSignal().isPresent()
                        ? new Termination(
                                TerminationReason.SIGNAL,
                                false,
                                OptionalInt.empty(),
                                exit.processSignal(),
                                "A signal ended the VM's process.")
                        : internal("The VM ended without a word from its guest.");
        };
    }

    /**
     * Says that the main command has ended in an end that was asked for. Without a word of its guest, SIGKILL says that it was
     * late.
     */
    public static Termination ofStoppedMain(TerminationReason asked, ExitStatus status) {
        return ofAsked(asked).with(status).killing(status.equals(new ExitStatus.Signalled(SIGKILL)) ? 1 : 0);
    }

    /** Returns the same, with how the main command ended. */
    private Termination with(ExitStatus status) {
        Termination main = ofMain(status, true);
        return new Termination(reason, asked, main.exitCode(), main.exitSignal(), killed, detail);
    }

    /** The same, when so many processes had to be killed in the end. */
    private Termination killing(int processes) {
        String which = processes == 1 ? "A program" : processes + " programs";
        return processes > 0 ? late(which + " in it had not ended in time, and had to be killed.") : this;
    }

    private Termination withVmKilled() {
        return late("Its guest did not end in time, and its VM was killed.");
    }

    /** Nothing is late that was not asked to end. */
    private Termination late(String sentence) {
        boolean unasked = reason == TerminationReason.SIGNAL || reason == TerminationReason.AGENT_UNRESPONSIVE;
        return unasked ? this : new Termination(reason, asked, exitCode, exitSignal, true, detail + " " + sentence);
    }

    /** The end that was asked for has come. */
    private static Termination ofAsked(TerminationReason asked) {
        return switch (asked) {
            case SIGNAL ->
                new Termination(asked, true, OptionalInt.empty(), OptionalInt.of(SIGKILL), "It was killed on request.");
            case IDLE_TIMEOUT -> plain(asked, true, "It was not used for as long as its idle timeout says.");
            case DRAIN_REQUESTED -> plain(asked, true, "It was ended on request, after the commands in it.");
            // No caller wanted this end as such: its owner gave the guest up.
            case AGENT_UNRESPONSIVE -> unresponsive();
            case SHUTDOWN_REQUESTED -> plain(asked, true, "The VM was ended on request.");
            case COMPLETED, FAILED, MAX_DURATION_EXCEEDED, INTERNAL_ERROR ->
                throw new IllegalArgumentException("no end is asked for as " + asked);
        };
    }

    /** Says that its guest did not answer its owner, or answered what makes no sense. */
    public static Termination unresponsive() {
        return plain(
                TerminationReason.AGENT_UNRESPONSIVE, false, "Its guest did not answer as it should, and was killed.");
    }

    /** Says that the main command ended, and the sandbox with it. */
    public static Termination ofMain(ExitStatus status, boolean asked) {
        TerminationReason reason = status.success() ? TerminationReason.COMPLETED : TerminationReason.FAILED;
        return switch (status) {
            case ExitStatus.Exited(int code) ->
                new Termination(reason, asked, OptionalInt.of(code), OptionalInt.empty(), "The main command exited.");
            case ExitStatus.Signalled(int signal) ->
                new Termination(
                        reason, asked, OptionalInt.empty(), OptionalInt.of(signal), "A signal ended the main command.");
        };
    }

    /** Says that its owner closed it, as intended. */
    public static Termination closed() {
        return plain(TerminationReason.COMPLETED, true, "Its owner closed it.");
    }

    /**
     * Reads the truth from what is left of a VM that does not run.
     *
     * @param exit how it ended; empty if nothing says so
     */
    public static Termination ofLeftover(Optional<VmExit> exit, Optional<TerminationReason> asked) {
        if (exit.isPresent()) {
            return of(exit.get(), asked);
        }
        return asked.map(Termination::ofAsked).orElseGet(Termination::vanished);
    }

    /** Nothing that was said of such an end is believed, and no request makes it one that was wanted. */
    private static Termination brokeOut() {
        return internal(
                "Isolation: QEMU tried what it never does by itself, and was ended. Its guest had broken out into it.");
    }

    /** Describes a start whose process died in the middle. */
    public static Termination abandonedStart() {
        return internal("The process that was starting it is gone.");
    }

    /** Says that its guest, whose memory was read and let go of, did not go on. */
    public static Termination lostAfterResume() {
        return internal("It had been resumed, and its guest did not go on.");
    }

    /** Nothing of it is left, and nothing says why. */
    static Termination vanished() {
        return internal("It never started, or its VM is gone without a trace.");
    }

    /**
     * Says that it did not come up.
     *
     * @param unanswered whether that was because its guest did not answer
     */
    public static Termination ofFailedStart(Throwable failure, boolean unanswered) {
        return plain(
                unanswered ? TerminationReason.AGENT_UNRESPONSIVE : TerminationReason.INTERNAL_ERROR,
                false,
                "It did not start: " + ClocheException.sentenceOf(failure));
    }

    private static Termination internal(String detail) {
        return plain(TerminationReason.INTERNAL_ERROR, false, detail);
    }

    private static Termination plain(TerminationReason reason, boolean asked, String detail) {
        return new Termination(reason, asked, OptionalInt.empty(), OptionalInt.empty(), detail);
    }
}
