package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Represents a connection to a machine whose guest answers. Closing it lets go of the machine, which runs on. Safe for use from several
 * threads.
 */
public final class RunningMachine implements AutoCloseable {
    /** From the loss of the connection to the guard's last word on the VM; longer only if the VM is alive. */
    private static final Duration LOSS_LIMIT = Duration.ofSeconds(5);

    private final PersistedMachine machine;
    private final Map<String, String> environment;
    private final VmProvider vms;
    private final Vm vm;

    /**
     * Makes a connection.
     *
     * @param environment of its commands: the image's and the machine's own
     * @param vms that {@code vm} is from
     */
    public RunningMachine(PersistedMachine machine, Map<String, String> environment, VmProvider vms, Vm vm) {
        this.machine = machine;
        this.environment = Map.copyOf(environment);
        this.vms = vms;
        this.vm = vm;
    }

    public MachineName name() {
        return machine.name();
    }

    /** Returns the environment that its commands begin with. */
    public Map<String, String> environment() {
        return environment;
    }

    /**
     * Asks the guest for something.
     *
     * @throws MachineException.WrongState if the machine has ended
     */
    public <T> T ask(Function<Guest, T> question) {
        try {
            return question.apply(vm.guest());
        } catch (GuestException.ConnectionLost | VmException.WrongState lost) {
            throw ended(lost);
        }
    }

    /**
     * Returns the guest's files, used as root.
     *
     * @throws MachineException.WrongState if the machine has ended
     */
    public GuestFiles files() {
        return ask(Guest::files);
    }

    /** Returns the ports that are published, with those of the host that it has got. */
    public List<PublishedPort> publishedPorts() {
        return vms.publishedPorts(vm.id());
    }

    /** Publishes a TCP port of it, until it ends; see {@link dev.cloche.vm.VmProvider#publish}. */
    public PublishedPort publish(PublishedPort port, Deadline deadline) {
        return vms.publish(vm.id(), List.of(port), deadline).getFirst();
    }

    public void unpublish(PublishedPort port, Deadline deadline) {
        vms.unpublish(vm.id(), List.of(port), deadline);
    }

    /** Returns why it does not work at present although it runs; see {@link Vm#hindrance}. */
    public Optional<VmException.Hindered> hindrance() {
        return vm.hindrance();
    }

    /**
     * Returns what a lost connection to the guest means: the end of the machine where that is what it was, {@code lost}
     * otherwise.
     */
    public RuntimeException ended(VmException lost) {
        try {
            vm.awaitExit(Deadline.after(LOSS_LIMIT));
        } catch (VmException.Deadline alive) {
            return lost;
        }
        MachineException ended = ended();
        ended.addSuppressed(lost);
        return ended;
    }

    /** Waits for its end, which is answered as an error; empty if it still runs after so long. */
    public Optional<RuntimeException> awaitEnd(Duration longest) {
        try {
            var _ = vm.awaitExit(Deadline.after(longest));
            return Optional.of(ended());
        } catch (VmException.Deadline alive) {
            return Optional.empty();
        }
    }

    private MachineException ended() {
        return new MachineException.WrongState(
                "The machine \"" + machine.name() + "\" has stopped meanwhile.",
                "Look at how with: cloche.machines().get(\"" + machine.name() + "\")");
    }

    @Override
    public void close() {
        vm.close();
    }
}
