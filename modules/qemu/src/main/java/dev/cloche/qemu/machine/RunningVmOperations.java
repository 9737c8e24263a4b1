package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.disk.DiskThrottle;
import dev.cloche.qemu.guard.GuardFiles;
import dev.cloche.qemu.guard.VmDirectory;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.VmWaits;
import java.util.Optional;
import java.util.function.Supplier;

/** Does what any process may do to a VM that runs, without a handle, also to a VM of another owner. Thread-safe. */
public final class RunningVmOperations {
    private static final int SIGTERM = 15;

    private final VmLayout layout;
    private final VmDirectory vms;

    public RunningVmOperations(VmLayout layout) {
        this.layout = layout;
        vms = new VmDirectory(layout);
    }

    /**
     * Pins the guard of a VM, so that it is this VM that something is done to.
     *
     * @param wanted for the message, as in "be killed"
     * @throws VmException.WrongState if it does not run
     */
    public PinnedProcess pin(VmId id, String wanted) {
        VmInfo info = vms.get(id).orElseThrow(() -> new VmException.NotFound(id));
        Optional<PinnedProcess> guard =
                info.guard().filter(known -> info.state().live()).flatMap(PinnedProcess::open);
        return guard.orElseThrow(() ->
                new VmException.WrongState(id, vms.get(id).map(VmInfo::state).orElse(VmState.DESTROYED), wanted));
    }

    /** Does what {@link VmProvider#kill} promises. */
    public VmExit kill(VmId id, Deadline deadline) {
        VmInfo info = vms.get(id).orElseThrow(() -> new VmException.NotFound(id));
        if (info.exit().isPresent()) {
            return info.exit().get();
        }
        try (PinnedProcess guard = pin(id, "be killed")) {
            guard.signal(SIGTERM);
            VmWaits.on(guard.onEnd().thenApply(gone -> true), deadline, "the end of VM " + id);
        }
        return new GuardFiles(layout.directory(id)).exitOrLost();
    }

    /** Does what {@link VmProvider#pause} promises. */
    public void pause(VmId id, Deadline deadline) {
        try (PinnedProcess _ = pin(id, "be paused")) {
            new GuestPause(layout, id).begin(deadline);
        }
    }

    /** Does what {@link VmProvider#resume} promises. */
    public void resume(VmId id, Deadline deadline) {
        try (PinnedProcess guard = pin(id, "be resumed")) {
            new GuestPause(layout, id).end(() -> guard.signal(SIGTERM), deadline);
        }
    }

    /** Does what {@link VmProvider#throttleDisk} promises. */
    public void throttleDisk(VmId id, Supplier<WritableLayer.Throttle> throttle, Deadline deadline) {
        try (PinnedProcess _ = pin(id, "have its disk bounded")) {
            new DiskThrottle(layout, id).change(throttle, deadline);
        }
    }
}
