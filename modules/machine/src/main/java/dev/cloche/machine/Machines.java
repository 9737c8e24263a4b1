package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Makes, starts, stops and removes machines. Safe for use from several threads and processes: work on one machine is done
 * by one at a time.
 *
 * <p>A machine belongs to no process. Its VM outlives whoever started it, and what is written in its file is held against
 * what runs whenever somebody looks. Besides {@link MachineException}s, methods throw those of images and VMs as they are.
 */
public final class Machines implements AutoCloseable {
    private final Ground ground;
    private final MachineEnds ends;
    private final MachineDisks disks;
    private final MachineKeeper keeper;

    /**
     * Does not own what it is given: close it before them.
     *
     * @param base holds one directory for each machine
     */
    public Machines(Path base, ImageStore images, VmProvider vms, Clock clock) {
        ground = new Ground(new MachineStore(base), new EventLog(base, clock), images, vms, clock);
        disks = new MachineDisks(ground);
        ends = new MachineEnds(ground, disks);
        keeper = new MachineKeeper(ground, name -> recover(name, Deadline.none()));
    }

    /** The files of machines as such. */
    public MachineStore store() {
        return ground.store();
    }

    /**
     * Makes a machine, which does not run yet. Its image is brought here.
     *
     * @throws MachineException.NameInUse if the name is taken by anything
     * @throws MachineException.Invalid if the script is not to be had or too large
     */
    public PersistedMachine create(NewMachine wanted, PullListener listener, Deadline deadline) {
        PersistedMachine plain = PersistedMachine.of(
                        wanted.name(), VmId.random(), ground.clock().instant())
                .withOrigin(MachineOrigin.of(wanted.image()))
                .withResources(wanted.resources())
                .withSettings(wanted.settings().withProvision(wanted.provision().map(_ -> ProvisionScript.FIRST)));
        Support.check(plain);
        Optional<ProvisionScript> script = wanted.provision().map(ProvisionScript::read);
        if (Files.exists(ground.store().directory(wanted.name()))) {
            // Said again by the store, but before a pull.
            throw new MachineException.NameInUse(wanted.name());
        }
        ImageDisk disk = new MachineImage(ground, listener).first(plain, deadline);
        PersistedMachine machine =
                plain.withOrigin(plain.origin().withImageDigest(disk.manifest().toString()));
        try {
            publish(machine, script);
        } catch (Throwable failure) {
            Uninterrupted.after(failure, () -> ground.images().release(Ground.holder(machine)));
            throw failure;
        }
        ground.note(machine, "created", "");
        return machine;
    }

    private void publish(PersistedMachine machine, Optional<ProvisionScript> script) {
        try (Making making = Making.begin(ground.store())) {
            disks.make(making.directory(), machine.resources());
            if (script.isPresent()) {
                script.get().write(making.directory());
            }
            ground.store().publish(making, machine);
        } catch (IOException e) {
            throw new MachineException.Storage("The machine's files cannot be made: " + e.getMessage() + ".", e);
        }
    }

    /**
     * Starts a machine, or continues a suspended one, and returns when it is usable. One that runs already is connected to.
     *
     * @throws MachineException.ProvisionFailed if its script failed; it runs
     */
    public RunningMachine start(MachineName name, PullListener listener, Deadline deadline) {
        return ground.working(name, deadline, machine -> {
            MachineStart start = new MachineStart(ground, ends, disks, listener);
            PersistedMachine now =
                    isUp(machine) ? machine : new Recovery(ground, start, ends, disks).recover(machine, deadline);
            return ground.alive(now) ? start.connect(now, deadline) : start.start(now, deadline);
        });
    }

    /**
     * Connects to a running machine.
     *
     * @throws MachineException.WrongState if it does not run
     */
    public RunningMachine connect(MachineName name, Deadline deadline) {
        PersistedMachine machine = ground.store().load(name);
        MachineInfo info = info(machine);
        if (info.state() != MachineState.RUNNING) {
            throw new MachineException.WrongState(
                    "The machine \"" + name + "\" is " + info.state().word() + ".",
                    "Start it with: cloche machine start " + name);
        }
        return new MachineStart(ground, ends, disks, PullListener.none()).connect(machine, deadline);
    }

    /**
     * Stops a machine: its processes get SIGTERM, and SIGKILL after {@code grace}; a guest that does not answer is killed.
     * Nothing happens if it does not run.
     *
     * @param grace zero to kill it at once
     */
    public void stop(MachineName name, Duration grace, Deadline deadline) {
        ground.working(name, deadline, machine -> {
            PersistedMachine now = recoveryOf().settle(machine);
            boolean rests = !ground.alive(now) && !now.needsRecovery();
            if (rests && now.status().state() != DiskState.SUSPENDED) {
                return now;
            }
            // What was suspended loses its memory, as one that runs does.
            PersistedMachine stopped =
                    rests ? ends.rest(now, DiskState.STOPPED, Optional.empty()) : ends.stop(now, grace, deadline);
            suspension().sweep(stopped);
            return stopped;
        });
    }

    /**
     * Removes a machine with all that belongs to it. A broken one goes too, if {@code force} is given.
     *
     * @param force whether it is killed if it runs
     * @return whether there was one
     * @throws MachineException.WrongState if it runs and {@code force} is not given
     */
    public boolean remove(MachineName name, boolean force, Deadline deadline) {
        try {
            return ground.working(name, deadline, machine -> {
                if (ground.alive(machine) && !force) {
                    throw new MachineException.WrongState(
                            "The machine \"" + name + "\" runs.",
                            "Stop it with: cloche machine stop " + name + ", or give --force.");
                }
                return discard(machine);
            });
        } catch (MachineException.NotFound none) {
            return force && ground.store().remove(name);
        } catch (MachineException.Broken broken) {
            if (!force) {
                throw broken;
            }
            new BrokenRemains(ground).discard(name);
            return ground.store().remove(name);
        }
    }

    /** Files last, so that what resists stays visible and is tried again. */
    private boolean discard(PersistedMachine machine) {
        ends.kill(machine);
        ends.clear(machine);
        suspension().deleteAll(machine);
        ground.images().release(Ground.holder(machine));
        boolean was = ground.store().remove(machine.name());
        ground.forget(machine);
        ground.note(machine, "removed", "");
        return was;
    }

    /** All machines as they are now, by name, with those that are broken. What has ended is written down. */
    public List<MachineView> list() {
        List<MachineView> views = new ArrayList<>();
        for (MachineEntry entry : ground.store().loadAll()) {
            switch (entry) {
                case BrokenMachine broken -> views.add(new MachineView.Broken(broken));
                case MachineEntry.Sound(PersistedMachine machine) -> views.add(new MachineView.Sound(settled(machine)));
            }
        }
        return views;
    }

    /**
     * One machine as it is now.
     *
     * @throws MachineException.NotFound if there is none of that name
     * @throws MachineException.Broken if its file cannot be used
     */
    public MachineInfo get(MachineName name) {
        return settled(ground.store().load(name));
    }

    /** The ports that a machine has got; none if it does not run. */
    public List<PublishedPort> publishedPorts(PersistedMachine machine) {
        return ground.alive(machine) ? ground.vms().publishedPorts(machine.vmId()) : List.of();
    }

    private MachineInfo settled(PersistedMachine machine) {
        MachineInfo seen = info(machine);
        if (!seen.needsRecovery() || machine.settings().restartPolicy() != RestartPolicy.NO) {
            return seen;
        }
        try {
            return info(ground.working(
                    machine.name(),
                    Deadline.after(Duration.ZERO),
                    now -> recoveryOf().settle(now)));
        } catch (MachineException.NotFound | MachineException.Busy othersAreAtIt) {
            return seen;
        }
    }

    private MachineInfo info(PersistedMachine machine) {
        return MachineInfo.of(machine, ground.vm(machine), ground.inWork(machine));
    }

    /**
     * Holds every machine against its VM: adopts what runs, finishes what was begun, settles what has ended, or restarts it
     * if its policy says so. Broken ones are left alone.
     *
     * @return all machines as they are then
     */
    public List<MachineView> recover(Deadline deadline) {
        for (MachineEntry entry : ground.store().loadAll()) {
            if (entry instanceof MachineEntry.Sound(PersistedMachine machine)) {
                recover(machine.name(), deadline);
            }
        }
        return list();
    }

    /**
     * Sees the end of every machine from now on, until this is closed: it is written down, or the machine started again as its
     * policy says. To be called once. Returns at once.
     */
    public void keep() {
        keeper.start();
    }

    private void recover(MachineName name, Deadline deadline) {
        try {
            ground.working(name, deadline, now -> recoveryOf().recover(now, deadline));
        } catch (MachineException.NotFound | MachineException.Broken changedMeanwhile) {
            // Nothing to recover.
        }
    }

    /** Ends {@link #keep}; the machines go on. */
    @Override
    public void close() {
        keeper.close();
    }

    /**
     * Changes a machine's file. A larger disk is there at once, also while the machine runs; other changes are in force from
     * the next start.
     *
     * @param mutation must be quick
     * @throws MachineException.Invalid if the change is none that can be made
     * @throws MachineException.WrongState if the machine's state does not allow it
     */
    public Changed change(MachineName name, UnaryOperator<PersistedMachine> mutation, Deadline deadline) {
        return change(name, mutation, Optional.empty(), deadline);
    }

    /** @param script in place of the one that it has; unless it is the same one, it runs at the next start */
    private Changed change(
            MachineName name,
            UnaryOperator<PersistedMachine> mutation,
            Optional<ProvisionScript> script,
            Deadline deadline) {
        return ground.working(name, deadline, machine -> {
            PersistedMachine wanted = mutation.apply(machine);
            Changes.check(machine, wanted);
            disks.resize(machine, wanted, deadline);
            Path directory = ground.store().directory(name);
            Optional<String> next = script.flatMap(given -> given.beside(machine, directory));
            PersistedMachine after = ground.store()
                    .update(
                            name,
                            now -> next.map(file -> withScript(mutation.apply(now), file))
                                    .orElseGet(() -> mutation.apply(now)));
            Optional<String> old = machine.settings().provision();
            if (next.isPresent() && old.isPresent()) {
                ProvisionScript.forget(directory, old.get());
            }
            return changed(machine, after);
        });
    }

    private static PersistedMachine withScript(PersistedMachine machine, String file) {
        return machine.withSettings(machine.settings().withProvision(Optional.of(file)))
                .withStatus(machine.status().withProvisionedAt(Optional.empty()));
    }

    /**
     * Makes the machine that a file describes, or changes it to match.
     *
     * @throws MachineException.Invalid if the file cannot be used, asks for a change that cannot be made, or describes a new
     *     machine without an image
     */
    public Changed apply(Path file, PullListener listener, Deadline deadline) {
        WantedFile wanted = WantedFile.read(file);
        if (ground.store().list().contains(wanted.name().value())) {
            UnaryOperator<PersistedMachine> change = machine -> wanted.image()
                    .map(image -> wanted.change().apply(machine).withOrigin(renamed(machine, image)))
                    .orElseGet(() -> wanted.change().apply(machine));
            return change(wanted.name(), change, wanted.provision().map(ProvisionScript::read), deadline);
        }
        String image = wanted.image()
                .orElseThrow(() -> new MachineException.Invalid(
                        "The file " + file + " describes a new machine and names no image.",
                        "Say which with image = \"…\"."));
        PersistedMachine defaults = wanted.change()
                .apply(PersistedMachine.of(
                        wanted.name(), VmId.random(), ground.clock().instant()));
        NewMachine plain = NewMachine.of(wanted.name(), image)
                .withResources(defaults.resources())
                .withSettings(defaults.settings());
        return new Changed(
                create(wanted.provision().map(plain::withProvision).orElse(plain), listener, deadline), false);
    }

    private static MachineOrigin renamed(PersistedMachine machine, String image) {
        MachineOrigin origin = machine.origin();
        return new MachineOrigin(Optional.of(image), origin.imageDigest(), origin.distro(), origin.distroVersion());
    }

    /**
     * Replaces the text of a machine's file, whole or broken, unless it has changed since it was read.
     *
     * @param seen as {@link MachineStore#text} said
     * @throws MachineException.Broken if the text is no configuration of this machine; the file stays as it is
     * @throws MachineException.Busy if the file has changed meanwhile
     * @throws MachineException.Invalid if the change is none that can be made
     */
    public Changed replaceText(MachineName name, byte[] seen, byte[] text, Deadline deadline) {
        Optional<PersistedMachine> before = sound(name);
        if (before.isEmpty()) {
            return new Changed(ground.store().replace(name, seen, text), false);
        }
        return ground.working(name, deadline, machine -> {
            PersistedMachine wanted = ground.store().parse(name, text);
            Changes.check(machine, wanted);
            disks.resize(machine, wanted, deadline);
            return changed(machine, ground.store().replace(name, seen, text));
        });
    }

    private Optional<PersistedMachine> sound(MachineName name) {
        try {
            return Optional.of(ground.store().load(name));
        } catch (MachineException.Broken broken) {
            return Optional.empty();
        }
    }

    private Changed changed(PersistedMachine before, PersistedMachine after) {
        if (after.equals(before)) {
            return new Changed(after, false);
        }
        ground.note(after, "changed", "");
        boolean sameVm =
                after.resources().withDiskGb(1).equals(before.resources().withDiskGb(1))
                        && after.settings().equals(before.settings());
        return new Changed(after, ground.alive(after) && !sameVm);
    }

    /**
     * Writes the memory of a running machine to disk and ends its VM; its next start continues from there. Whatever fails, it
     * goes on. Nothing happens if it is suspended already.
     *
     * @throws MachineException.WrongState if it does not run
     */
    public void suspend(MachineName name, Deadline deadline) {
        ground.working(name, deadline, machine -> {
            PersistedMachine now = isUp(machine) ? machine : recoveryOf().recover(machine, deadline);
            if (now.status().state() == DiskState.SUSPENDED) {
                return now;
            }
            requireLife(now, "suspended");
            PersistedMachine suspended = suspension().suspend(now, deadline);
            suspension().sweep(suspended);
            return suspended;
        });
    }

    /**
     * Keeps what is on the disk of a machine. Of a running one the file system is frozen for a moment.
     *
     * @param memory whether the memory of a running machine is kept too
     */
    public void snapshot(MachineName name, MachineName snapshot, boolean memory, Deadline deadline) {
        ground.working(name, deadline, machine -> {
            snapshots().take(machine, snapshot, memory, deadline);
            return snapshot;
        });
    }

    /**
     * Puts a machine that does not run back to a snapshot. With memory, its next start continues from it.
     *
     * @throws MachineException.WrongState if it runs
     */
    public void restore(MachineName name, MachineName snapshot, Deadline deadline) {
        ground.working(name, deadline, machine -> {
            PersistedMachine now = recoveryOf().settle(machine);
            requireRest(now, "restored");
            return snapshots().restore(now, snapshot);
        });
    }

    /** A machine's snapshots, by name. */
    public List<KeptSnapshot> snapshotsOf(MachineName name) {
        return snapshots().list(ground.store().load(name));
    }

    /**
     * Deletes a snapshot of a machine.
     *
     * @return whether there was one
     */
    public boolean deleteSnapshot(MachineName name, MachineName snapshot, Deadline deadline) {
        return ground.working(name, deadline, machine -> snapshots().delete(machine, snapshot));
    }

    /**
     * Makes a machine with a copy of another one's disk. A running one goes on; its file system is frozen for a moment.
     *
     * @param memory whether the clone of a running machine has its memory too, and continues where it was
     * @throws MachineException.NameInUse if the name of the clone is taken by anything
     */
    public PersistedMachine copy(MachineName name, MachineName clone, boolean memory, Deadline deadline) {
        return ground.working(
                name, deadline, machine -> new Cloning(ground, disks).copy(machine, clone, memory, deadline));
    }

    /**
     * Writes a machine that does not run into one file: configuration, script and disk, in a tar that is compressed by zstd,
     * with holes and checksums. What a suspended one has in memory is not in it.
     *
     * @param target a file that does not exist yet; it appears when it is whole and on the disk
     * @throws MachineException.WrongState if it runs or is suspended
     */
    public void export(MachineName name, Path target, Deadline deadline) {
        ground.working(name, deadline, machine -> {
            PersistedMachine now = recoveryOf().settle(machine);
            requireRest(now, "exported");
            if (now.status().state() == DiskState.SUSPENDED) {
                throw new MachineException.WrongState(
                        "The machine \"" + name + "\" is suspended, and its disk is not whole without its memory.",
                        "Start and stop it first.");
            }
            new Transport(ground, disks).export(now, target);
            ground.note(now, "exported", "");
            return name;
        });
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
        return new Transport(ground, disks).take(archive, name, listener, deadline);
    }

    /** Waits until a machine is in one of these states; one that is removed is in none. */
    public MachineInfo await(MachineName name, Set<MachineState> states, Deadline deadline) {
        AtomicReference<MachineInfo> now = new AtomicReference<>(get(name));
        StateWait.until(
                ground.store().directories().base(),
                () -> {
                    now.set(get(name));
                    return states.contains(now.get().state());
                },
                "the machine \"" + name + "\" to be " + String.join(" or ", words(states)),
                deadline);
        return now.get();
    }

    private static List<String> words(Set<MachineState> states) {
        return states.stream().map(MachineState::word).sorted().toList();
    }

    /** The names of the machines that are to be started with the session of their user, sorted. */
    public List<MachineName> autostarted() {
        List<MachineName> names = new ArrayList<>();
        for (MachineEntry entry : ground.store().loadAll()) {
            if (entry instanceof MachineEntry.Sound(PersistedMachine machine)
                    && machine.settings().autostart()) {
                names.add(machine.name());
            }
        }
        return names;
    }

    /** The machine that is meant where none is named; it need not exist. */
    public Optional<MachineName> defaultMachine() {
        return new DefaultMachine(ground.store().directories().base()).get();
    }

    /**
     * Makes a machine the one that is meant where none is named.
     *
     * @throws MachineException.NotFound if there is none of that name
     */
    public void makeDefault(MachineName name) {
        ground.store().load(name);
        new DefaultMachine(ground.store().directories().base()).set(name);
    }

    /**
     * Gives a machine that does not run another name; its guest has it as host name from the next start.
     *
     * @throws MachineException.WrongState if it runs
     * @throws MachineException.NameInUse if the new name is taken by anything
     */
    public PersistedMachine rename(MachineName from, MachineName to, Deadline deadline) {
        return ground.working(from, deadline, machine -> {
            // A VM knows the paths of its disk.
            requireRest(machine, "renamed");
            PersistedMachine renamed = ground.store().rename(from, to);
            ground.note(machine, "renamed", to.value());
            return renamed;
        });
    }

    /** What happened to machines, the oldest first. */
    public List<MachineEvent> events() {
        try {
            return ground.events().all();
        } catch (IOException e) {
            throw new MachineException.Storage("The events of machines cannot be read: " + e.getMessage() + ".", e);
        }
    }

    /** Tells a listener what happens to machines from now on, until the deadline passes or the thread is interrupted. */
    public void follow(Consumer<MachineEvent> listener, Deadline deadline) {
        Path base = ground.store().directories().ensured();
        AtomicReference<List<MachineEvent>> seen = new AtomicReference<>(events());
        StateWait.until(
                base,
                () -> {
                    List<MachineEvent> now = events();
                    newOnes(seen.getAndSet(now), now).forEach(listener);
                    return false;
                },
                "events of machines",
                deadline);
    }

    /** What is in the log and was not before: all behind the last one that was. */
    private static List<MachineEvent> newOnes(List<MachineEvent> before, List<MachineEvent> now) {
        int last = before.isEmpty() ? -1 : now.lastIndexOf(before.getLast());
        return now.subList(last + 1, now.size());
    }

    /** Whether nothing needs to be recovered, because its start was completed and its VM runs. */
    private boolean isUp(PersistedMachine machine) {
        return machine.needsRecovery() && machine.status().startedAt().isPresent() && ground.alive(machine);
    }

    private void requireRest(PersistedMachine machine, String what) {
        if (ground.alive(machine)) {
            throw new MachineException.WrongState(
                    "The machine \"" + machine.name() + "\" runs and cannot be " + what + ".",
                    "Stop it first: cloche machine stop " + machine.name());
        }
    }

    private void requireLife(PersistedMachine machine, String what) {
        if (!ground.alive(machine)) {
            throw new MachineException.WrongState(
                    "The machine \"" + machine.name() + "\" does not run and cannot be " + what + ".",
                    "Start it first: cloche machine start " + machine.name());
        }
    }

    private Suspension suspension() {
        return new Suspension(ground, disks);
    }

    private MachineSnapshots snapshots() {
        return new MachineSnapshots(ground, disks);
    }

    private Recovery recoveryOf() {
        return new Recovery(ground, new MachineStart(ground, ends, disks, PullListener.none()), ends, disks);
    }
}
