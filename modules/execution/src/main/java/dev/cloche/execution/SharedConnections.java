package dev.cloche.execution;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.vm.VmId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shares one connection to the guest of a sandbox among all executions that this program starts and drives there: a VM has seven
 * ports for clients of all programs, and one program drives hundreds of commands. The last user closes it. Thread-safe.
 */
final class SharedConnections {
    private final SandboxManager sandboxes;
    private final Map<Long, Shared> open = new HashMap<>();

    SharedConnections(SandboxManager sandboxes) {
        this.sandboxes = sandboxes;
    }

    /**
     * Connects to a sandbox, or shares the connection that there is to the VM which it runs in now.
     *
     * @throws dev.cloche.sandbox.SandboxException as {@link SandboxManager#connect(long, Deadline)} does
     */
    Use use(long id, Deadline deadline) {
        Shared shared = enter(sandboxes.get(id));
        try {
            return new Use(shared, shared.connected(sandboxes, deadline));
        } catch (Throwable failure) {
            discard(shared);
            leave(shared);
            throw failure;
        }
    }

    private synchronized Shared enter(SandboxRecord record) {
        Shared there = open.get(record.id());
        if (there == null || !there.leadsTo(record)) {
            there = new Shared(record.id(), record.latestRun().map(RunRecord::vm));
            open.put(record.id(), there);
        }
        there.users++;
        return there;
    }

    private synchronized void discard(Shared shared) {
        open.remove(shared.id, shared);
    }

    private void leave(Shared shared) {
        if (isLast(shared)) {
            shared.close();
        }
    }

    private synchronized boolean isLast(Shared shared) {
        shared.users--;
        if (shared.users == 0) {
            discard(shared);
        }
        return shared.users == 0;
    }

    /** The part of one user. */
    final class Use implements AutoCloseable {
        private final Shared shared;
        private final RunningSandbox sandbox;

        private Use(Shared shared, RunningSandbox sandbox) {
            this.shared = shared;
            this.sandbox = sandbox;
        }

        RunningSandbox sandbox() {
            return sandbox;
        }

        /** Keeps later users from it, because it may be lost. */
        void failed() {
            discard(shared);
        }

        @Override
        public void close() {
            leave(shared);
        }
    }

    private static final class Shared {
        private final long id;
        private final Optional<VmId> vm;
        /** Guarded by the lock of the connections. */
        private int users;

        private @Nullable RunningSandbox sandbox;

        Shared(long id, Optional<VmId> vm) {
            this.id = id;
            this.vm = vm;
        }

        /** Returns whether a new user may have it; what is to be said of any other sandbox, the manager says. */
        boolean leadsTo(SandboxRecord record) {
            boolean connectable = record.status() == SandboxStatus.RUNNING || record.status() == SandboxStatus.DRAINING;
            return connectable && record.latestRun().map(RunRecord::vm).equals(vm);
        }

        /** Connects for the first user; the others wait for that. */
        synchronized RunningSandbox connected(SandboxManager sandboxes, Deadline deadline) {
            RunningSandbox there = sandbox;
            if (there == null) {
                there = sandboxes.connect(id, deadline);
                sandbox = there;
            }
            return there;
        }

        synchronized void close() {
            if (sandbox != null) {
                sandbox.close();
            }
        }
    }
}
