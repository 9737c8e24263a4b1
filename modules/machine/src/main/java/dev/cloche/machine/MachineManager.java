package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.machine.archive.CopyOperations;
import dev.cloche.machine.config.MachineEventLog;
import dev.cloche.machine.config.MachineStore;
import dev.cloche.machine.lifecycle.BrokenMachineResources;
import dev.cloche.machine.lifecycle.ConfigUpdates;
import dev.cloche.machine.lifecycle.CopyAdoption;
import dev.cloche.machine.lifecycle.Creation;
import dev.cloche.machine.lifecycle.DefaultMachine;
import dev.cloche.machine.lifecycle.MachineApply;
import dev.cloche.machine.lifecycle.MachineContext;
import dev.cloche.machine.lifecycle.MachineDisks;
import dev.cloche.machine.lifecycle.MachineEventReader;
import dev.cloche.machine.lifecycle.MachineRecovery;
import dev.cloche.machine.lifecycle.MachineRemoval;
import dev.cloche.machine.lifecycle.MachineStart;
import dev.cloche.machine.lifecycle.MachineStop;
import dev.cloche.machine.lifecycle.MachineSupervisor;
import dev.cloche.machine.lifecycle.MachineViews;
import dev.cloche.machine.lifecycle.OrphanedMachines;
import dev.cloche.machine.lifecycle.PowerOperations;
import dev.cloche.machine.lifecycle.Suspension;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Makes, starts, stops and removes machines. Safe for use from several threads and processes: work on one machine is done
 * by one at a time.
 *
 * <p>A machine belongs to no process. Its VM outlives the process that started it. Every call that lists or shows machines
 * reconciles the file with the VM that runs. Besides {@link MachineException}s, methods throw those of images and VMs as they
 * are.
 */
public final class MachineManager implements AutoCloseable {
    private final MachineContext context;
    private final MachineViews views;
    private final Creation creation;
    private final MachineRemoval removal;
    private final OrphanedMachines orphans;
    private final CopyAdoption adoption;
    private final PowerOperations power;
    private final ConfigUpdates configUpdates;
    private final MachineApply machineApply;
    private final CopyOperations copyOperations;
    private final MachineEventReader events;
    private final DefaultMachine defaultMachine;
    private final MachineSupervisor supervisor;

    /**
     * Makes a manager that does not own what it is given: close it before them.
     *
     * @param base holds one directory for each machine
     */
    public MachineManager(Path base, ImageStore images, VmProvider vms, Clock clock) {
        context = new MachineContext(new MachineStore(base), new MachineEventLog(base, clock), images, vms, clock);
        MachineDisks disks = new MachineDisks(context);
        MachineStop stop = new MachineStop(context, disks);
        MachineStart start = new MachineStart(context, stop, disks, PullListener.none(), Duration.ZERO);
        MachineRecovery recovery = new MachineRecovery(context, start, stop);
        views = new MachineViews(context, recovery, new Suspension(context, disks));
        creation = new Creation(context, disks);
        orphans = new OrphanedMachines(context);
        removal = new MachineRemoval(context, orphans);
        adoption = new CopyAdoption(context);
        power = new PowerOperations(context, stop, disks, recovery);
        configUpdates = new ConfigUpdates(context, disks);
        machineApply = new MachineApply(context, creation, configUpdates);
        copyOperations = new CopyOperations(context, disks, recovery);
        events = new MachineEventReader(context);
        defaultMachine = new DefaultMachine(base);
        supervisor = new MachineSupervisor(context, name -> views.recover(name, Deadline.none()));
    }

    /**
     * Returns the VMs of all machines, running or not: also of those whose file is broken, as far as it says so, and of those
     * whose directory is gone, which {@link #sweep} removes.
     */
    public Set<VmId> vms() {
        Set<VmId> ids = new HashSet<>();
        orphans().forEach(orphan -> ids.add(orphan.id()));
        for (MachineEntry entry : context.store().loadAll()) {
            switch (entry) {
                case MachineEntry.Usable(PersistedMachine machine) -> ids.add(machine.vmId());
                case BrokenMachine broken ->
                    new BrokenMachineResources(context).vm(broken.name()).ifPresent(ids::add);
            }
        }
        return Set.copyOf(ids);
    }

    /** Returns the directory of a machine, existing or not. */
    public Path directory(MachineName name) {
        return context.store().directory(name);
    }

    /**
     * Returns the text of a configuration, usable or not.
     *
     * @throws MachineException.NotFound if there is none
     */
    public byte[] text(MachineName name) {
        return context.store().text(name);
    }

    /**
     * Makes a machine, which does not run yet. Its image is brought here.
     *
     * @throws MachineException.NameInUse if the name is taken by anything
     * @throws MachineException.Invalid if the script is not to be had or too large
     */
    public PersistedMachine create(NewMachine wanted, PullListener listener, Deadline deadline) {
        orphans.sweepQuietly();
        return creation.create(wanted, listener, deadline);
    }

    /**
     * Starts a machine, or continues a suspended one, and returns when it is usable. One that runs already is connected to.
     *
     * @param waitForRoom how long it waits, in turn, while the host's limits leave no room; no longer than the deadline
     * @throws MachineException.ProvisionFailed if its script failed; it runs
     */
    public RunningMachine start(MachineName name, Duration waitForRoom, PullListener listener, Deadline deadline) {
        return power.start(name, waitForRoom, listener, deadline);
    }

    /** Connects to a machine that runs; a {@link MachineException.WrongState} otherwise. */
    public RunningMachine connect(MachineName name, Deadline deadline) {
        return power.connect(name, deadline);
    }

    /**
     * Stops a machine: its init, or the commands in it, are asked to end, and killed after {@code grace}; a guest that does not
     * answer is killed. What it came to is recorded. Nothing happens if it does not run.
     *
     * @param grace zero to kill it at once
     */
    public void stop(MachineName name, Duration grace, Deadline deadline) {
        power.stop(name, grace, deadline);
    }

    /**
     * Writes the memory of a running machine to disk and ends its VM; its next start continues from there. If a step fails, the
     * machine goes on running. Nothing happens if it is suspended already.
     *
     * @throws MachineException.WrongState if it does not run
     */
    public void suspend(MachineName name, Deadline deadline) {
        power.suspend(name, deadline);
    }

    /**
     * Removes a machine with all that belongs to it. A broken one goes too, if {@code force} is given.
     *
     * @param force whether it is killed if it runs
     * @return whether there was one
     * @throws MachineException.WrongState if it runs and {@code force} is not given
     */
    public boolean remove(MachineName name, boolean force, Deadline deadline) {
        return removal.remove(name, force, deadline);
    }

    /**
     * Gives a copy of a machine's directory an identity of its own: name, {@code vm_id}, machine id. It keeps its disk, and
     * boots from it; it publishes no ports, and what a machine had in memory stays the original's. Its image is brought here.
     *
     * @throws MachineException.Invalid if the machine of that name is no copy
     * @throws MachineException.Broken if its file cannot be used
     */
    public PersistedMachine adopt(MachineName copy, PullListener listener, Deadline deadline) {
        return adoption.adopt(copy, listener, deadline);
    }

    /**
     * Returns what is kept for machines that no directory has any more; what others are making or removing just now is left
     * out.
     */
    public List<OrphanedMachine> orphans() {
        return orphans.find();
    }

    /**
     * Removes what {@link #orphans} finds. What resists stays for another time, and is logged.
     *
     * @return what is gone
     */
    public List<OrphanedMachine> sweep() {
        context.store().sweep();
        return orphans.sweep(true);
    }

    /** Returns all machines as they are now, by name, with those that are broken. What has ended is written down. */
    public List<MachineView> list() {
        return views.list();
    }

    /**
     * Returns one machine as it is now.
     *
     * @throws MachineException.NotFound if there is none of that name
     * @throws MachineException.Broken if its file cannot be used
     */
    public CurrentMachine get(MachineName name) {
        return views.get(name);
    }

    /** Returns the ports that a machine has got; none if it does not run. */
    public List<PublishedPort> publishedPorts(PersistedMachine machine) {
        return context.alive(machine) ? context.vms().publishedPorts(machine.vmId()) : List.of();
    }

    /** Returns why a machine does not work at present although it runs; empty if it does, or does not run. */
    public Optional<VmHindrance> hindrance(PersistedMachine machine) {
        return context.alive(machine) ? context.vms().hindrance(machine.vmId()) : Optional.empty();
    }

    /** Returns the names of the machines that are to be started with the session of their user, sorted. */
    public List<MachineName> autostarted() {
        return views.autostarted();
    }

    /** Waits until a machine is in one of these states; one that is removed is in none. */
    public CurrentMachine await(MachineName name, Set<MachineState> states, Deadline deadline) {
        return views.await(name, states, deadline);
    }

    /**
     * Holds every machine against its VM: adopts what runs, finishes what was begun, settles what has ended, or restarts it
     * if its policy says so. Broken ones are left alone.
     *
     * @return all machines as they are then
     */
    public List<MachineView> recover(Deadline deadline) {
        orphans.sweepQuietly();
        return views.recover(deadline);
    }

    /**
     * Sees the end of every machine from now on, until this is closed: it is written down, or the machine started again as its
     * policy says. To be called once. Returns at once.
     */
    public void keep() {
        supervisor.start();
    }

    /**
     * Changes a machine's file. A larger disk is there at once, also while the machine runs; other changes are in force from
     * the next start.
     *
     * @param mutation must be quick
     * @throws MachineException.Invalid if the change is none that can be made
     * @throws MachineException.WrongState if the machine's state does not allow it
     */
    public ChangedMachine change(MachineName name, UnaryOperator<PersistedMachine> mutation, Deadline deadline) {
        return configUpdates.change(name, mutation, Optional.empty(), deadline);
    }

    /**
     * Makes the machine that a file describes, or changes it to match.
     *
     * @throws MachineException.Invalid if the file cannot be used, asks for a change that cannot be made, or describes a new
     *     machine without an image
     */
    public ChangedMachine apply(Path file, PullListener listener, Deadline deadline) {
        return machineApply.apply(file, listener, deadline);
    }

    /**
     * Replaces the text of a machine's file, whole or broken, unless it has changed since it was read.
     *
     * @param seen as {@link MachineStore#text} said
     * @throws MachineException.Broken if the text is no configuration of this machine; the file stays as it is
     * @throws MachineException.Busy if the file has changed meanwhile
     * @throws MachineException.Invalid if the change is none that can be made
     */
    public ChangedMachine replaceText(MachineName name, byte[] seen, byte[] text, Deadline deadline) {
        return configUpdates.replaceText(name, seen, text, deadline);
    }

    /**
     * Gives a machine that does not run another name; its guest has it as host name from the next start.
     *
     * @throws MachineException.NameInUse if the new name is taken by anything
     */
    public PersistedMachine rename(MachineName from, MachineName to, Deadline deadline) {
        PersistedMachine renamed = copyOperations.rename(from, to, deadline);
        if (defaultMachine.get().equals(Optional.of(from))) {
            defaultMachine.set(to);
        }
        return renamed;
    }

    /**
     * Keeps what is on the disk of a machine. Of a running one the file system is frozen for a moment.
     *
     * @param memory whether the memory of a running machine is kept too
     */
    public void snapshot(MachineName name, MachineName snapshot, boolean memory, Deadline deadline) {
        copyOperations.snapshot(name, snapshot, memory, deadline);
    }

    /** Puts a machine that does not run back to a snapshot. With memory, its next start continues from it. */
    public void restore(MachineName name, MachineName snapshot, Deadline deadline) {
        copyOperations.restore(name, snapshot, deadline);
    }

    /** Returns a machine's snapshots, by name. */
    public List<KeptSnapshot> snapshotsOf(MachineName name) {
        return copyOperations.snapshots(name);
    }

    /** Removes a snapshot of a machine; false if there was none. */
    public boolean removeSnapshot(MachineName name, MachineName snapshot, Deadline deadline) {
        return copyOperations.removeSnapshot(name, snapshot, deadline);
    }

    /**
     * Makes a machine with a copy of another one's disk. A running one goes on; its file system is frozen for a moment.
     *
     * @param memory whether the clone of a running machine has its memory too, and continues where it was
     * @throws MachineException.NameInUse if the name of the clone is taken by anything
     */
    public PersistedMachine copy(MachineName name, MachineName clone, boolean memory, Deadline deadline) {
        return copyOperations.copy(name, clone, memory, deadline);
    }

    /**
     * Writes a machine that does not run into one file: configuration, script and disk, in a tar that is compressed by zstd,
     * with holes and checksums. What a suspended one has in memory is not in it.
     *
     * @param target a file that does not exist yet; it appears when it is whole and on the disk
     * @throws MachineException.WrongState if it runs or is suspended
     */
    public void export(MachineName name, Path target, Deadline deadline) {
        copyOperations.export(name, target, deadline);
    }

    /**
     * Makes a machine of a file that {@link #export} wrote, with an identity of its own. Its image is brought here.
     *
     * @param name its name; without one, the one that it had
     * @throws MachineException.BadArchive if the file is damaged, of a newer form, or no such archive; nothing is left behind
     * @throws MachineException.NameInUse if the name is taken by anything
     */
    public PersistedMachine importFrom(
            Path archive, Optional<MachineName> name, PullListener listener, Deadline deadline) {
        return copyOperations.importFrom(archive, name, listener, deadline);
    }

    /** Returns the machine that is meant where none is named; it need not exist. */
    public Optional<MachineName> defaultMachine() {
        return defaultMachine.get();
    }

    /** Makes a machine that there is the one that is meant where none is named. */
    public void makeDefault(MachineName name) {
        context.store().load(name);
        defaultMachine.set(name);
    }

    /** Returns what happened to machines, the oldest first. */
    public List<MachineEvent> events() {
        return events.all();
    }

    /** Tells a listener what happens to machines from now on, until the deadline passes or the thread is interrupted. */
    public void follow(Consumer<MachineEvent> listener, Deadline deadline) {
        events.follow(listener, deadline);
    }

    /** Ends {@link #keep}; the machines go on. */
    @Override
    public void close() {
        supervisor.close();
    }
}
