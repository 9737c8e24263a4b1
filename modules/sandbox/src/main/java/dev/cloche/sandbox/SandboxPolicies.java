package dev.cloche.sandbox;

import dev.cloche.base.DurationText;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.WritableLayer;
import java.time.Duration;
import java.util.Optional;

/**
 * Limits a sandbox's life and the use of its disk, and says how it is isolated. Durations are at least one millisecond and at most a year.
 *
 * @param maxDuration after which a run is ended, also if no process of Cloche is alive: the VM's guard sees to it
 * @param idleTimeout after which a sandbox that is not in use is stopped. It is in use while a process of this host
 *     waits for a command in it other than its main one, or moves bytes to or from it, and whenever a published port of
 *     it is used; nothing that its guest does by itself counts. Watched by its owner; while it has none, the time goes
 *     on and is acted on by the next
 * @param startTimeout that a start may take, with the fetching of its image
 * @param restart whether it is started again after an end that was not asked for
 * @param keptRuns how many runs are kept, with their logs; at least one, the latest
 * @param isolation the least of walls around what runs it, at each start; empty for what this host's settings say. It raises
 *     what they ask for, and does not lower it
 * @param onDeadline what its owner does at its deadline and when it is idle; without an owner its guard ends it at its deadline, or
 *     holds it, to be suspended
 * @param diskThrottle what its guest may ask of the disk that it writes to, in this run and the next ones
 */
public record SandboxPolicies(
        Optional<Duration> maxDuration,
        Optional<Duration> idleTimeout,
        Duration startTimeout,
        RestartPolicy restart,
        int keptRuns,
        Optional<Isolation> isolation,
        OnDeadline onDeadline,
        WritableLayer.Throttle diskThrottle) {
    /** Says what the owner of a sandbox does at its deadline, and when it is idle. */
    public enum OnDeadline {
        /** It is ended; at its deadline by its guard. */
        STOP,
        /**
         * Its memory goes to the disk and its VM ends, from where it goes on when it is resumed. Without an owner its guard halts
         * it for that, for a day at most. */
        SUSPEND
    }

    public static final Duration DEFAULT_START_TIMEOUT = Duration.ofMinutes(30);
    public static final int DEFAULT_KEPT_RUNS = 5;
    public static final int MAX_KEPT_RUNS = 1000;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    /** Is the longest time of each. */
    public static final Duration LONGEST = Duration.ofDays(365);

    private static final SandboxPolicies NONE = new SandboxPolicies(
            Optional.empty(),
            Optional.empty(),
            DEFAULT_START_TIMEOUT,
            RestartPolicy.no(),
            DEFAULT_KEPT_RUNS,
            Optional.empty(),
            OnDeadline.STOP,
            WritableLayer.Throttle.none());

    public SandboxPolicies {
        maxDuration.ifPresent(value -> check("longest duration", value));
        idleTimeout.ifPresent(value -> check("idle timeout", value));
        check("time to start", startTimeout);
        if (keptRuns < 1 || keptRuns > MAX_KEPT_RUNS) {
            throw new SandboxException.InvalidSpecification(
                    keptRuns + " kept runs are out of range.", "Give 1 to " + MAX_KEPT_RUNS + ".");
        }
    }

    /** Returns no limits but the default time to start, no restarts, and the default number of kept runs. */
    public static SandboxPolicies none() {
        return NONE;
    }

    public SandboxPolicies withMaxDuration(Duration value) {
        return new SandboxPolicies(
                Optional.of(value), idleTimeout, startTimeout, restart, keptRuns, isolation, onDeadline, diskThrottle);
    }

    public SandboxPolicies withIdleTimeout(Duration value) {
        return new SandboxPolicies(
                maxDuration, Optional.of(value), startTimeout, restart, keptRuns, isolation, onDeadline, diskThrottle);
    }

    public SandboxPolicies withStartTimeout(Duration value) {
        return new SandboxPolicies(
                maxDuration, idleTimeout, value, restart, keptRuns, isolation, onDeadline, diskThrottle);
    }

    public SandboxPolicies withRestart(RestartPolicy value) {
        return new SandboxPolicies(
                maxDuration, idleTimeout, startTimeout, value, keptRuns, isolation, onDeadline, diskThrottle);
    }

    public SandboxPolicies withKeptRuns(int value) {
        return new SandboxPolicies(
                maxDuration, idleTimeout, startTimeout, restart, value, isolation, onDeadline, diskThrottle);
    }

    public SandboxPolicies withIsolation(Isolation least) {
        return new SandboxPolicies(
                maxDuration,
                idleTimeout,
                startTimeout,
                restart,
                keptRuns,
                Optional.of(least),
                onDeadline,
                diskThrottle);
    }

    public SandboxPolicies withOnDeadline(OnDeadline value) {
        return new SandboxPolicies(
                maxDuration, idleTimeout, startTimeout, restart, keptRuns, isolation, value, diskThrottle);
    }

    public SandboxPolicies withDiskThrottle(WritableLayer.Throttle value) {
        return new SandboxPolicies(
                maxDuration, idleTimeout, startTimeout, restart, keptRuns, isolation, onDeadline, value);
    }

    /** Says whether its memory is kept at its deadline. */
    public boolean isSuspendedAtDeadline() {
        return onDeadline == OnDeadline.SUSPEND;
    }

    private static void check(String what, Duration duration) {
        if (duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0) {
            throw new SandboxException.InvalidSpecification(
                    "A " + what + " of " + DurationText.of(duration) + " is out of range.",
                    "Give at least a millisecond and at most " + LONGEST.toDays() + " days.");
        }
    }
}
