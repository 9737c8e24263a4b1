package dev.cloche.qemu.launch;

import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Ports of this host: which are free, and why one cannot be had. passt binds them; this only looks. */
public final class HostPorts {
    private HostPorts() {}

    /**
     * Returns the same ports, with one of the host where it may be any. Another program may take it meanwhile.
     *
     * @throws VmException.PortUnavailable if there is no free one
     */
    public static List<PublishedPort> chosen(List<PublishedPort> ports) {
        List<AutoCloseable> held = new ArrayList<>();
        try {
            List<PublishedPort> chosen = new ArrayList<>();
            for (PublishedPort port : ports) {
                // Held until all are chosen, so that none is chosen twice.
                chosen.add(port.hostPort() == 0 ? port.withHostPort(free(port, held)) : port);
            }
            return List.copyOf(chosen);
        } finally {
            held.forEach(HostPorts::close);
        }
    }

    /** Returns why one of them cannot be had; empty if all can. */
    public static Optional<VmException.PortUnavailable> problem(List<PublishedPort> ports) {
        for (PublishedPort port : ports) {
            List<AutoCloseable> held = new ArrayList<>();
            try {
                bind(port, held);
            } catch (IOException e) {
                return Optional.of(new VmException.PortUnavailable(port, e));
            } finally {
                held.forEach(HostPorts::close);
            }
        }
        return Optional.empty();
    }

    private static int free(PublishedPort port, List<AutoCloseable> held) {
        try {
            return bind(port, held);
        } catch (IOException e) {
            throw new VmException.PortUnavailable(port, e);
        }
    }

    private static int bind(PublishedPort port, List<AutoCloseable> held) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(port.hostAddress()), port.hostPort());
        return switch (port.protocol()) {
            case TCP -> {
                ServerSocket socket = new ServerSocket();
                held.add(socket);
                socket.bind(address);
                yield socket.getLocalPort();
            }
            case UDP -> {
                DatagramSocket socket = new DatagramSocket(address);
                held.add(socket);
                yield socket.getLocalPort();
            }
        };
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            System.getLogger(HostPorts.class.getName()).log(System.Logger.Level.DEBUG, "closing a probed port", e);
        }
    }
}
