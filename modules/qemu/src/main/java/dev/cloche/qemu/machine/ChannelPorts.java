package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.GuardPorts;
import dev.cloche.qemu.qmp.ClientPort;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Publishes ports of a VM that runs: plugs the port of its guard's forwarder in, and has the guard do the rest. */
public final class ChannelPorts {
    private final VmLayout layout;
    private final VmId id;
    private final RunningVmOperations running;

    public ChannelPorts(VmLayout layout, VmId id, RunningVmOperations running) {
        this.layout = layout;
        this.id = id;
        this.running = running;
    }

    public List<PublishedPort> publish(List<PublishedPort> ports, Deadline deadline) {
        if (ports.stream().anyMatch(port -> port.protocol() != PublishedPort.Protocol.TCP)) {
            throw new VmException.Invalid(
                    "A port of UDP cannot be published while a VM runs",
                    "Publish it when it is started, with the network USER.");
        }
        Set<PublishedPort> before = new HashSet<>();
        List<PublishedPort> after = change(
                there -> {
                    before.addAll(there);
                    List<PublishedPort> all = new ArrayList<>(there);
                    ports.stream().filter(port -> !before.contains(port)).forEach(all::add);
                    return all;
                },
                deadline);
        List<PublishedPort> fresh = new ArrayList<>(after);
        fresh.removeAll(before);
        return ports.stream()
                .map(port -> port.hostPort() == 0 ? taken(fresh, port) : port)
                .toList();
    }

    /** Each that may be any port is another one. */
    private static PublishedPort taken(List<PublishedPort> fresh, PublishedPort asked) {
        PublishedPort got = fresh.stream()
                .filter(port -> port.withHostPort(0).equals(asked))
                .findFirst()
                .orElseThrow();
        fresh.remove(got);
        return got;
    }

    public void unpublish(List<PublishedPort> ports, Deadline deadline) {
        var _ = change(
                there -> there.stream().filter(port -> !ports.contains(port)).toList(), deadline);
    }

    private List<PublishedPort> change(UnaryOperator<List<PublishedPort>> change, Deadline deadline) {
        try (PinnedProcess guard = running.pin(id, "have its ports changed")) {
            GuardPorts ports = new GuardPorts(id, layout.directory(id));
            ports.requireAble();
            new ClientPort(layout, id, VmLayout.FORWARDER).provide(deadline);
            return ports.change(change, guard, deadline);
        } catch (IOException e) {
            throw new VmException.Monitor("The ports of VM " + id + " cannot be changed: " + e.getMessage(), e);
        }
    }
}
