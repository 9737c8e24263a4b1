package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageConfig;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmIsolation;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reaches into sandboxes of any process. */
public record SandboxConnections(SandboxContext context, SandboxTerminator terminator) {
    /**
     * Connects to the guest of one that is in one of these statuses.
     *
     * @throws SandboxException.NotRunning if it is not, or has no guest that answers
     */
    public RunningSandbox connect(SandboxRecord record, Set<SandboxStatus> wanted, Deadline deadline) {
        String name = record.name();
        if (record.status().suspends()) {
            throw new SandboxException.Suspended(name, null);
        }
        if (!wanted.contains(record.status())) {
            throw new SandboxException.NotRunning(name, record.status());
        }
        ImageConfig config = context.images()
                .heldConfig(SandboxContext.holder(record.id(), name))
                .orElseThrow(() -> new SandboxException.NotRunning(name, record.status()));
        try {
            return RunningSandbox.connected(
                    context,
                    terminator,
                    record,
                    context.vms().connect(SandboxTerminator.vmOf(record), deadline),
                    config);
        } catch (VmException.NotFound | VmException.WrongState | GuestException.ConnectionLost lost) {
            throw meaning(lost, record);
        }
    }

    /** Tells what a failure to reach a VM means: if it is alive, what it is; otherwise the end of the sandbox. */
    RuntimeException meaning(VmException lost, SandboxRecord record) {
        SandboxRecord now = new ReconciledSandboxes(context, terminator).named(record.name());
        boolean alive = context.vms()
                .get(SandboxTerminator.vmOf(now))
                .filter(vm -> vm.state().live())
                .isPresent();
        if (now.status().suspends()) {
            return new SandboxException.Suspended(now.name(), lost);
        }
        return alive ? lost : new SandboxException.NotRunning(now.name(), now.status());
    }

    /** Returns why it does not work at present; empty if it does, or does not run. */
    public Optional<VmHindrance> hindrance(SandboxRecord record) {
        return record.isLive() ? context.vms().hindrance(SandboxTerminator.vmOf(record)) : Optional.empty();
    }

    /** Returns what stands between its VM and the host; empty if it does not run. */
    public Optional<VmIsolation> isolation(SandboxRecord record) {
        return record.isLive() ? context.vms().isolation(SandboxTerminator.vmOf(record)) : Optional.empty();
    }

    /** Returns the ports that are published of it as long as it runs, with those of the host that it has got. */
    public List<PublishedPort> publishedPorts(SandboxRecord record) {
        return record.status().active()
                ? record.latestRun()
                        .map(run -> context.vms().publishedPorts(run.vm()))
                        .orElse(List.of())
                : List.of();
    }

    /**
     * Opens what its main command has written.
     *
     * @throws SandboxException.NotLogged if it was not started detached
     */
    public OutputLog outputLog(SandboxRecord record) {
        if (!record.latestRun().map(RunRecord::detached).orElse(false)) {
            throw new SandboxException.NotLogged(record.name());
        }
        try {
            return context.vms().outputLog(SandboxTerminator.vmOf(record));
        } catch (VmException.NotFound removedMeanwhile) {
            throw new SandboxException.NotFound(record.name());
        }
    }
}
