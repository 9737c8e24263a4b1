package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.DurationText;
import dev.cloche.linux.BootTime;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Asks for another deadline of a sandbox that runs, also of one that another process owns. Its guard is told the time that is left, so no
 * change of the wall clock moves it.
 */
public record DeadlineRequest(SandboxContext context, SandboxConnections connections, SandboxRecord sandbox) {
    private static final Duration SHORTEST = Duration.ofMillis(1);

    /** Returns when a sandbox is ended, by the wall clock as it is now; empty if it has no deadline, or does not run. */
    public static Optional<Instant> of(SandboxContext context, SandboxRecord record) {
        if (record.status() != SandboxStatus.RUNNING && record.status() != SandboxStatus.PAUSED) {
            return Optional.empty();
        }
        return record.latestRun()
                .flatMap(RunRecord::deadline)
                .map(until -> context.clock().instant().plus(until.minus(BootTime.now())));
    }

    /** Puts its deadline off, and returns the new one. */
    public Instant extend(Duration more) {
        if (!more.isPositive()) {
            throw refused(
                    "A deadline is not put off by " + DurationText.of(more) + ".", "Give a time that is positive.");
        }
        requireNear(more);
        return set((now, left) -> extended(now, left, more));
    }

    /** Sets its deadline, earlier or later than the one that it has. */
    public Instant at(Instant until) {
        Duration longest = Duration.between(context.clock().instant(), until);
        if (longest.compareTo(SHORTEST) < 0) {
            throw refused("A deadline at " + until + " has passed.", "Stop the sandbox to end it now.");
        }
        Duration atLatest = BootTime.now().plus(longest);
        return set((now, _) -> {
            // It may have passed while this waited for its turn.
            Duration left = atLatest.minus(BootTime.now());
            return within(now, left.compareTo(SHORTEST) < 0 ? SHORTEST : left);
        });
    }

    /** Says how long a sandbox may go on, as it is recorded. */
    private interface Rule {
        Duration left(SandboxRecord now, Optional<Duration> before);
    }

    private Instant set(Rule rule) {
        try {
            Duration until = context.store()
                    .setDeadline(sandbox.id(), rule::left, context.vms()::limit)
                    .orElseThrow(() -> new SandboxException.NotFound(sandbox.name()));
            context.locks().directory(sandbox).tellOwner();
            return context.clock().instant().plus(until.minus(BootTime.now()));
        } catch (VmException.NotFound | VmException.WrongState over) {
            throw connections.meaning(over, sandbox);
        }
    }

    /** Returns how long a sandbox may go on that has this left of its limit. */
    static Duration extended(SandboxRecord now, Optional<Duration> left, Duration more) {
        requireLive(now);
        Duration rest = left.orElseThrow(() -> new SandboxException.NoDeadline(now.name()));
        // One that is held at its deadline has lost nothing by that.
        boolean held = rest.isNegative() && now.policies().isSuspendedAtDeadline();
        return within(now, held ? more : rest.plus(more));
    }

    private static Duration within(SandboxRecord now, Duration longest) {
        requireLive(now);
        requireNear(longest);
        if (longest.compareTo(SHORTEST) < 0) {
            // Its guard is just ending it.
            throw new SandboxException.NotRunning(now.name(), SandboxStatus.RUNNING);
        }
        return longest;
    }

    private static void requireNear(Duration longest) {
        if (longest.compareTo(SandboxPolicies.LONGEST) > 0) {
            throw refused(
                    "A deadline in " + longest.toDays() + " days is too far.",
                    "Give one in at most " + SandboxPolicies.LONGEST.toDays() + " days.");
        }
    }

    /** Refuses one that does not run, and one whose end a process has asked for: that has a limit of its own. */
    private static void requireLive(SandboxRecord now) {
        Optional<TerminationReason> asked = CrashDetection.asked(now);
        if (now.status().active() && asked.isPresent()) {
            throw new SandboxException.Ending(now.name(), asked.get());
        }
        if (now.status() != SandboxStatus.RUNNING && now.status() != SandboxStatus.PAUSED) {
            throw new SandboxException.NotRunning(now.name(), now.status());
        }
    }

    private static SandboxException refused(String sentence, String remedy) {
        return new SandboxException.InvalidSpecification(sentence, remedy);
    }
}
