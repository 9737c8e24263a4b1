package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.linux.SystemCallException;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.Guard;
import dev.cloche.qemu.qmp.ClientPort;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.qemu.qmp.UnixChannels;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/** Gets hold of a VM that another process started, or this one and let go of: as its owner, or as a client. */
public final class QemuAdoption {
    private final VmLayout layout;
    private final VmId id;
    private final Deadline deadline;

    public QemuAdoption(VmLayout layout, VmId id, Deadline deadline) {
        this.layout = layout;
        this.id = id;
        this.deadline = deadline;
    }

    /** Describes a way to the guest, with the lock that it is used under. */
    private record Port(SocketChannel channel, Optional<LockFile> lock) {}

    private interface Way {
        Port port() throws IOException;
    }

    /**
     * Returns a run through the first free client's port. The caller pins the guard and gives it away.
     *
     * @throws VmException.Busy if all are taken
     * @throws VmException.NotFound if another process has just removed the VM
     */
    public RunningQemu asClient(PinnedProcess guard) {
        return run(guard, this::freePort);
    }

    /** Returns a run through the owner's port, for the holder of the owner's lock. */
    public RunningQemu asOwner(PinnedProcess guard) {
        return run(guard, () -> new Port(UnixChannels.connect(layout.portSocket(id, 0), deadline), Optional.empty()));
    }

    /** Returns whether the guest is halted; after its state was saved, QEMU has a word of its own for it. */
    public boolean paused() {
        try {
            String status = new QemuMonitor(layout, id)
                    .converse(deadline, qemu -> qemu.execute(QmpCommand.of("query-status")))
                    .texts()
                    .getOrDefault("status", "");
            return status.equals("paused") || status.equals("postmigrate");
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private RunningQemu run(PinnedProcess guard, Way way) {
        try {
            Port port = way.port();
            return new RunningQemu(new Guard.Pinned(guard), port.channel(), port.lock(), layout, id);
        } catch (IOException e) {
            guard.close();
            throw unreachable(e);
        } catch (RuntimeException e) {
            guard.close();
            throw e;
        }
    }

    private Port freePort() throws IOException {
        for (int port = 1; port < VmLayout.PORTS; port++) {
            Optional<LockFile> lock = tryLock(port);
            if (lock.isPresent()) {
                try {
                    return new Port(new ClientPort(layout, id, port).connect(deadline), lock);
                } catch (IOException | RuntimeException e) {
                    lock.get().close();
                    throw e;
                }
            }
        }
        throw new VmException.Busy("All client ports of VM " + id + " are taken", "Close a connection to it.");
    }

    private Optional<LockFile> tryLock(int port) {
        try {
            return LockFile.tryLock(layout.portLock(id, port));
        } catch (SystemCallException e) {
            if (e.isForWantOfThePath()) {
                throw new VmException.NotFound(id); // Another process has just removed it.
            }
            throw e;
        }
    }

    private GuestException.ConnectionLost unreachable(IOException e) {
        return new GuestException.ConnectionLost("VM " + id + " cannot be reached: " + e.getMessage(), e);
    }
}
