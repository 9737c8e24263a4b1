package dev.cloche.qemu.qmp;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * A port for a client beside the owner, or for the guard's forwarder, plugged into the running VM when it is first wanted (docs/vm.md). For the holder
 * of the port's lock.
 *
 * <p>A client may die between any two steps, so each asks first whether it is done. The socket gets its name last: who
 * finds it finds the device behind it.
 */
public final class ClientPort {
    /** The number on the bus of the port for last words, and of that for the log. */
    public static final int GOODBYE = 1 + VmLayout.PORTS;

    public static final int LOG = GOODBYE + 1;

    private final VmLayout layout;
    private final VmId id;
    private final int number;

    /** @param number 1 to 8 */
    public ClientPort(VmLayout layout, VmId id, int number) {
        this.layout = layout;
        this.id = id;
        this.number = number;
    }

    /**
     * Connects to the port, which is there from then on until the VM ends.
     *
     * @throws VmException.Busy if another process speaks to QEMU's monitor up to the deadline
     * @throws VmException.Monitor if QEMU does not take the port
     * @throws IOException if no process listens: the VM has ended
     */
    public SocketChannel connect(Deadline deadline) throws IOException {
        try {
            return UnixChannels.connect(layout.portSocket(id, number), deadline);
        } catch (IOException notPluggedIn) {
            // None, or left by an earlier run of this VM.
            plugIn(deadline);
            return UnixChannels.connect(layout.portSocket(id, number), deadline);
        }
    }

    /**
     * Has the port be there, from then on until the VM ends, without connecting to it.
     *
     * @throws VmException.Busy if another process speaks to QEMU's monitor up to the deadline
     * @throws VmException.Monitor if QEMU does not take the port
     * @throws IOException if QEMU cannot be reached
     */
    public void provide(Deadline deadline) throws IOException {
        if (!Files.exists(layout.portSocket(id, number))) {
            plugIn(deadline);
        }
    }

    private void plugIn(Deadline deadline) throws IOException {
        var _ = new QemuMonitor(layout, id).converse(deadline, qemu -> {
            listen(qemu);
            attach(qemu);
            return publish();
        });
    }

    /** Lets QEMU listen. It replaces a socket file that an earlier run has left. */
    public void listen(QmpConnection qemu) throws IOException {
        if (qemu.has("/chardevs/" + socketId())) {
            return;
        }
        String path = layout.pendingPortSocket(id, number).toString();
        Map<String, Object> address = Map.of("type", "unix", "data", Map.of("path", path));
        Map<String, Object> socket = Map.of("addr", address, "server", true, "wait", false);
        var _ = qemu.execute(new QmpCommand(
                "chardev-add", Map.of("id", socketId(), "backend", Map.of("type", "socket", "data", socket))));
    }

    public void attach(QmpConnection qemu) throws IOException {
        if (qemu.has(devicePath(number))) {
            return;
        }
        var _ = qemu.execute(new QmpCommand(
                "device_add",
                Map.of(
                        "driver", "virtserialport",
                        "id", "p" + number,
                        "chardev", socketId(),
                        "name", name(number),
                        "nr", number(number))));
    }

    /** Returns what the guest's agent knows a port by, 0 to 8. */
    public static String name(int port) {
        return "cloche." + (port == VmLayout.FORWARDER ? "ports" : port);
    }

    /** Returns its number on the bus, whose number 0 is for consoles, and which has two others after those of clients. */
    public static int number(int port) {
        return port == VmLayout.FORWARDER ? LOG + 1 : 1 + port;
    }

    /** Returns where QEMU has the device, if it is plugged in. */
    public static String devicePath(int number) {
        return "/machine/peripheral/p" + number;
    }

    private Path publish() throws IOException {
        return Files.move(
                layout.pendingPortSocket(id, number), layout.portSocket(id, number), StandardCopyOption.ATOMIC_MOVE);
    }

    private String socketId() {
        return "c" + number;
    }
}
