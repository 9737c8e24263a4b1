package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.BrokenMachine;
import dev.cloche.machine.ChangedMachine;
import dev.cloche.machine.KeptSnapshot;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineState;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The named machines of a state root: long-lived, each with a disk and a configuration of its own. Safe for use from several
 * threads and processes.
 *
 * <pre>{@code
 * Machines machines = cloche.machines();
 * machines.create("dev", "debian").memoryMib(4096).make();
 * try (Machine dev = machines.start("dev")) {
 *     dev.exec("apt-get", "update");
 * }
 * machines.stop("dev", Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>Names are 1 to 63 of {@code a-z}, {@code 0-9} and {@code -}, beginning with a letter or digit. All errors are
 * {@link dev.cloche.base.ClocheException}s; codes {@code machine.…} are of machines as such.
 */
public final class Machines {
    private static final Duration STOP_MARGIN = Duration.ofSeconds(30);
    private static final Duration CHANGE_LIMIT = Duration.ofMinutes(5);

    private final MachineManager room;
    private final UnaryOperator<String> exactImage;

    /** @param exactImage finds the image that the beginning of a digest means */
    Machines(MachineManager room, UnaryOperator<String> exactImage) {
        this.room = room;
        this.exactImage = exactImage;
    }

    /**
     * Returns a machine to make.
     *
     * @param image reference as in Docker, which is looked at when the machine is made, or the digest of an image on this host
     *     or the beginning of it, as {@link Images} has it
     * @throws dev.cloche.base.ClocheException with the code {@code image.not-found} or {@code image.ambiguous} if a digest does
     *     not mean one image here
     */
    public MachineBuilder create(String name, String image) {
        return new MachineBuilder(room, name, exactImage.apply(image));
    }

    /** Starts a machine as {@link #start(String, PullListener)} does, without a listener. */
    public Machine start(String name) {
        return start(name, PullListener.none());
    }

    /**
     * Starts a machine, or continues a suspended one, and returns when it is usable; one that runs is connected to. It runs on
     * when the handle is closed and when this process ends. {@link Cloche#machine} also limits what that may take.
     *
     * @param progress is told of a pull, if its image is not here any more
     */
    public Machine start(String name, PullListener progress) {
        return new MachineStarter(room, name).progress(progress).start();
    }

    /** Connects to a running machine. */
    public Machine connect(String name) {
        return new Machine(room.connect(new MachineName(name), Deadline.none()));
    }

    /**
     * Stops a machine: its init, or the commands in it, are asked to end, and killed after {@code grace}; a guest that does not
     * answer is killed. What it came to is in {@link MachineInfo#lastEnd}. Nothing happens if it does not run.
     *
     * @param grace zero to kill it at once
     */
    public void stop(String name, Duration grace) {
        room.stop(new MachineName(name), grace, Deadline.after(grace.plus(STOP_MARGIN)));
    }

    /**
     * Removes a machine with its disk and all that belongs to it.
     *
     * @param force whether it goes although it runs or is broken
     * @return whether there was one
     */
    public boolean remove(String name, boolean force) {
        return room.remove(new MachineName(name), force, Deadline.after(STOP_MARGIN));
    }

    /** Returns all machines, also those that are broken. */
    public MachineList list() {
        return MachineList.of(room.list(), room);
    }

    /** Returns one machine. */
    public MachineInfo get(String name) {
        MachineName known = new MachineName(name);
        return MachineInfo.of(room.get(known), room);
    }

    /**
     * Returns what is wrong with a machine whose configuration cannot be used, of which {@link #get} knows nothing else; empty
     * for any other name.
     */
    public Optional<BrokenMachine> broken(String name) {
        return list().broken().stream()
                .filter(entry -> entry.name().equals(name))
                .findFirst();
    }

    /** Gives a machine that does not run another name. */
    public void rename(String from, String to) {
        room.rename(new MachineName(from), new MachineName(to), Deadline.after(STOP_MARGIN));
    }

    /**
     * Holds every machine against what runs, as after a crash: adopts what is alive, writes down what has ended, and restarts
     * it if its policy says so.
     */
    public MachineList recover() {
        return MachineList.of(room.recover(Deadline.none()), room);
    }

    /** Writes the memory of a running machine to disk and ends it; its next start continues from there. */
    public void suspend(String name) {
        room.suspend(new MachineName(name), Deadline.none());
    }

    /**
     * Makes a machine with a copy of another one's disk, and an identity of its own. A running one goes on; its file system is
     * frozen for a moment.
     *
     * @param memory whether the clone of a running machine has its memory too, and continues where it was
     */
    public MachineInfo copy(String name, String clone, boolean memory) {
        room.copy(new MachineName(name), new MachineName(clone), memory, Deadline.none());
        return get(clone);
    }

    /** Takes a copy in as {@link #adopt(String, PullListener)} does, without a listener. */
    public MachineInfo adopt(String copy) {
        return adopt(copy, PullListener.none());
    }

    /**
     * Gives a directory that was copied by hand an identity of its own; without one it is no machine, because VM, memory and
     * image are those of the original. It boots from the disk that was copied, and publishes no ports.
     *
     * <pre>{@code
     * // after: cp -r machines/dev machines/dev2
     * MachineInfo dev2 = machines.adopt("dev2");
     * }</pre>
     *
     * @param copy the name of the directory; what the file says of its name does not matter
     * @param progress is told of a pull, if its image is not here any more
     * @throws dev.cloche.base.ClocheException with the code {@code machine.invalid} if it is no copy
     */
    public MachineInfo adopt(String copy, PullListener progress) {
        MachineName name = new MachineName(copy);
        var _ = room.adopt(name, progress, Deadline.none());
        return get(copy);
    }

    /**
     * Keeps what is on the disk of a machine, running or not, under a name like those of machines.
     *
     * @param memory whether the memory of a running machine is kept too
     */
    public void snapshot(String name, String snapshot, boolean memory) {
        room.snapshot(new MachineName(name), new MachineName(snapshot), memory, Deadline.none());
    }

    /** Puts a machine that does not run back to a snapshot; with memory, its next start continues from it. */
    public void restore(String name, String snapshot) {
        room.restore(new MachineName(name), new MachineName(snapshot), Deadline.none());
    }

    /** Returns a machine's snapshots, by name. */
    public List<KeptSnapshot> snapshots(String name) {
        return room.snapshotsOf(new MachineName(name));
    }

    /**
     * Removes a snapshot.
     *
     * @return whether there was one
     */
    public boolean removeSnapshot(String name, String snapshot) {
        return room.removeSnapshot(new MachineName(name), new MachineName(snapshot), Deadline.after(STOP_MARGIN));
    }

    /** Writes a machine that does not run into one file that does not exist yet. */
    public void export(String name, Path target) {
        room.export(new MachineName(name), target, Deadline.none());
    }

    /**
     * Makes a machine of a file that {@link #export} wrote, on this host or another one, with an identity of its own and the
     * name that it had.
     *
     * @throws dev.cloche.base.ClocheException with the code {@code machine.archive} if the file is damaged or of a newer form;
     *     nothing is left behind
     */
    public MachineInfo importFrom(Path archive, PullListener progress) {
        return importFrom(archive, Optional.empty(), progress);
    }

    /** Makes a machine of such a file under another name; otherwise does what {@link #importFrom(Path, PullListener)} does. */
    public MachineInfo importFrom(Path archive, String name, PullListener progress) {
        return importFrom(archive, Optional.of(new MachineName(name)), progress);
    }

    private MachineInfo importFrom(Path archive, Optional<MachineName> name, PullListener progress) {
        return get(
                room.importFrom(archive, name, progress, Deadline.none()).name().value());
    }

    /** Changes a machine. A larger disk is there at once, also while it runs; all else from its next start. */
    public MachineChanged change(String name, MachineChange change) {
        return changed(room.change(new MachineName(name), change::apply, Deadline.after(CHANGE_LIMIT)));
    }

    /**
     * Makes the machine that a TOML file describes, or changes it to match: the keys of config.toml that are a person's to
     * choose, of which those that are left out stay as they are.
     */
    public MachineChanged apply(Path file, PullListener progress) {
        return changed(room.apply(file, progress, Deadline.none()));
    }

    /** Returns the names of the machines that are to be started with the session of their user, sorted. */
    public List<String> autostarted() {
        return room.autostarted().stream().map(MachineName::value).toList();
    }

    /** Returns the text of a machine's configuration, also of a broken one. */
    public String configuration(String name) {
        return new String(room.text(new MachineName(name)), StandardCharsets.UTF_8);
    }

    /**
     * Replaces the text of a machine's configuration, if it is good, and was not changed since it was read.
     *
     * @param seen what {@link #configuration} said
     */
    public MachineChanged replaceConfiguration(String name, String seen, String text) {
        return changed(room.replaceText(
                new MachineName(name),
                seen.getBytes(StandardCharsets.UTF_8),
                text.getBytes(StandardCharsets.UTF_8),
                Deadline.after(CHANGE_LIMIT)));
    }

    private MachineChanged changed(ChangedMachine changed) {
        return new MachineChanged(get(changed.machine().name().value()), changed.atNextStart(), changed.unknownKeys());
    }

    /** Waits until a machine is in one of these states. */
    public MachineInfo await(String name, Set<MachineState> states) {
        return await(name, states, Deadline.none());
    }

    /**
     * Waits no longer than {@code longest}; otherwise does what {@link #await(String, Set)} does.
     *
     * @throws dev.cloche.base.ClocheException with the code {@code machine.deadline} if that time passes
     */
    public MachineInfo await(String name, Set<MachineState> states, Duration longest) {
        return await(name, states, Deadline.after(longest));
    }

    private MachineInfo await(String name, Set<MachineState> states, Deadline deadline) {
        return MachineInfo.of(room.await(new MachineName(name), states, deadline), room);
    }

    /** Returns the machine that is meant where none is named; it need not exist. */
    public Optional<String> defaultName() {
        return room.defaultMachine().map(MachineName::value);
    }

    /** Makes a machine the one that is meant where none is named. */
    public void makeDefault(String name) {
        room.makeDefault(new MachineName(name));
    }

    /** Tells a listener what happens to machines from now on, until the thread is interrupted. */
    public void follow(Consumer<MachineEvent> listener) {
        room.follow(listener, Deadline.none());
    }

    /** Returns what happened to machines, the oldest first. */
    public List<MachineEvent> events() {
        return room.events();
    }
}
