package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.SandboxStatus;
import java.time.Duration;
import java.util.Set;

/** Starts sandboxes under a name that another one may have, or that another process may be starting. */
record NamedStart(Cloche cloche, String name) {
    /** What a start of another process comes to. */
    private static final Set<SandboxStatus> BEGUN =
            Set.of(SandboxStatus.RUNNING, SandboxStatus.STOPPED, SandboxStatus.CRASHED);

    private static final Set<SandboxStatus> SETTLED =
            Set.of(SandboxStatus.RUNNING, SandboxStatus.SUSPENDED, SandboxStatus.STOPPED, SandboxStatus.CRASHED);

    /**
     * Connects to the sandbox of the name: to one that runs, one that ended and is started again, or a new one. Other processes
     * may do the same meanwhile, and all get the same sandbox.
     */
    Sandbox connectOrStart(SandboxSpec spec, CommandOptions options, PullListener progress, Duration limit) {
        SandboxManager room = cloche.sandboxRoom();
        Deadline deadline = Deadline.after(limit);
        while (true) {
            try {
                SandboxRecord there = room.get(name);
                switch (there.status()) {
                    case STARTING -> {
                        var _ = room.await(name, BEGUN, deadline);
                    }
                    case SUSPENDING, RESUMING -> {
                        var _ = room.await(name, SETTLED, deadline);
                    }
                    case CREATED, SUSPENDED, STOPPED, CRASHED -> {
                        var _ = room.start(name, progress, deadline);
                    }
                    case RUNNING, PAUSED, DRAINING -> {}
                }
                return cloche.connect(name);
            } catch (SandboxException.NotFound none) {
                try {
                    var _ = room.startDetached(spec, options, progress, deadline);
                } catch (SandboxException.NameInUse anotherWasFaster) {
                    requireTime(deadline, anotherWasFaster);
                }
            } catch (SandboxException.Starting | SandboxException.Owned anotherWasFaster) {
                requireTime(deadline, anotherWasFaster);
            }
        }
    }

    private static void requireTime(Deadline deadline, SandboxException held) {
        if (deadline.passed()) {
            throw held;
        }
    }
}
