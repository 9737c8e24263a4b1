package dev.cloche.machine.config;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Printable;
import dev.cloche.linux.LinuxException;
import dev.cloche.machine.MachineEntry;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineState;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Keeps the configurations of machines: one directory for each, with a config.toml that people may edit. Safe for use from
 * several threads and processes; every change is one cycle of reading and writing under a lock, so no update is lost, and is
 * on the disk when it returns. A crash at any point leaves the old file or the new one.
 *
 * <p>Every method may throw {@link MachineException.Storage} where the disk fails, {@link MachineException.Busy} if others
 * keep the lock for too long, and {@link MachineException.Interrupted}.
 */
public final class MachineStore {
    /** Far more than all others together need it for. */
    private static final Duration LOCK_LIMIT = Duration.ofSeconds(30);

    private final MachineDirectories directories;
    private final DirectoryOwners owners;
    private final MachineFiles files;

    /** @param base holds the directories of machines; it need not exist, and is made with the first of them */
    public MachineStore(Path base) {
        directories = new MachineDirectories(base);
        owners = new DirectoryOwners(directories);
        files = new MachineFiles(directories, owners);
    }

    public MachineDirectories directories() {
        return directories;
    }

    public DirectoryOwners owners() {
        return owners;
    }

    /** Returns the directory of a machine, existing or not. */
    public Path directory(MachineName name) {
        return directories.of(name);
    }

    /**
     * Gives a directory that was made the name of a machine, with its configuration.
     *
     * @throws MachineException.NameInUse if the name is taken by anything
     */
    public void publish(StagingDirectory staging, PersistedMachine machine) {
        locked(machine.name(), () -> {
            staging.writeConfig(machine);
            publish(staging.directory(), machine);
            return machine;
        });
    }

    private void publish(Path made, PersistedMachine machine) throws IOException {
        MachineName name = machine.name();
        try {
            owners.claim(machine, made);
            directories.publish(made, name);
        } catch (FileAlreadyExistsException taken) {
            throw Files.exists(directories.config(name), LinkOption.NOFOLLOW_LINKS)
                    ? new MachineException.NameInUse(name)
                    : new MachineException.NameInUse(name, directories.of(name));
        }
    }

    /**
     * Reads a machine.
     *
     * @throws MachineException.NotFound if there is none
     * @throws MachineException.Broken if its file cannot be used
     */
    public PersistedMachine load(MachineName name) {
        return storing(name.value(), () -> files.document(name).machine());
    }

    /** Returns the sorted names of all directories that hold a configuration, usable or broken; empty if the base is missing. */
    public List<String> list() {
        return storing("all", directories::names);
    }

    /** Returns what there is of every name in {@link #list()}, in its order. One that was removed meanwhile is left out. */
    public List<MachineEntry> loadAll() {
        List<MachineEntry> entries = new ArrayList<>();
        DirectoryOwners.Look look = owners.new Look();
        for (String name : list()) {
            storing(name, () -> files.entry(name, look)).ifPresent(entries::add);
        }
        return entries;
    }

    /**
     * Removes a machine's whole directory, broken or not.
     *
     * @return whether there was one
     */
    public boolean remove(MachineName name) {
        return locked(name, () -> {
            boolean was = directories.remove(name);
            directories.sweep();
            return was;
        });
    }

    /** Deletes what killed processes left of removals, of machines that they were making, and of records. */
    public void sweep() {
        if (Files.isDirectory(directories.base())) {
            locked("all", () -> {
                directories.sweep();
                owners.sweep();
                return true;
            });
        }
    }

    /** Records an id for a machine that is about to be made. */
    public void recordCreation(VmId id, MachineName name) {
        locked(name, () -> {
            owners.recordCreation(id, name);
            return id;
        });
    }

    /** Records that an id belongs to the directory of its machine, if that is not what was seen last. */
    public void claim(PersistedMachine machine) {
        if (!owners.isClaimed(machine)) {
            locked(machine.name(), () -> {
                owners.claim(machine);
                return machine;
            });
        }
    }

    /**
     * Gives a copy the identity of a new machine.
     *
     * @param mutation of what its file says
     */
    public PersistedMachine adopt(MachineName name, UnaryOperator<PersistedMachine> mutation) {
        return locked(name, () -> {
            MachineDocument document = files.copy(name);
            PersistedMachine adopted = mutation.apply(document.machine());
            files.write(name, document, adopted);
            return adopted;
        });
    }

    /**
     * Returns a copy of a machine, as its file has it; the name may still be the original's.
     *
     * @throws MachineException.Invalid if it is none
     */
    public PersistedMachine loadCopy(MachineName name) {
        return storing(name.value(), () -> files.copy(name).machine());
    }

    /**
     * Changes the state, and nothing else.
     *
     * @throws MachineException.NotFound if there is none of that name
     */
    public PersistedMachine updateState(MachineName name, MachineState state) {
        return update(name, machine -> machine.withStatus(machine.status().withState(state.onDisk())));
    }

    /**
     * Reads, changes and writes a machine, excluding all other writers.
     *
     * @param mutation must be quick, and must not change the name
     * @return the machine as it is now
     * @throws MachineException.NotFound if there is none of that name
     * @throws MachineException.Broken if its file cannot be used; it stays as it is
     * @throws MachineException.Invalid if a text of the result cannot be written down
     */
    public PersistedMachine update(MachineName name, UnaryOperator<PersistedMachine> mutation) {
        return locked(name, () -> {
            MachineDocument document = files.document(name);
            PersistedMachine after = mutation.apply(document.machine());
            if (!after.name().equals(name)) {
                throw new IllegalArgumentException("a machine is renamed by rename");
            }
            if (!after.equals(document.machine())) {
                files.write(name, document, after);
            }
            return after;
        });
    }

    /**
     * Gives a machine another name. After a crash it has one of the two, whole.
     *
     * @throws MachineException.NotFound if there is none of that name
     * @throws MachineException.NameInUse if the new name is taken by anything
     */
    public PersistedMachine rename(MachineName from, MachineName to) {
        return locked(from, () -> {
            MachineDocument document = files.document(from);
            if (Files.exists(directories.of(to), LinkOption.NOFOLLOW_LINKS)) {
                throw new MachineException.NameInUse(to);
            }
            try {
                files.write(from, document.announcing(to));
            } catch (DocumentException e) {
                throw MachineFiles.notWritable(document.machine(), e);
            }
            directories.rename(from, to);
            PersistedMachine renamed = document.machine().withName(to);
            owners.claim(renamed);
            files.write(to, files.document(to), renamed);
            return renamed;
        });
    }

    /**
     * Returns the text of a configuration, usable or not.
     *
     * @throws MachineException.NotFound if there is none
     */
    public byte[] text(MachineName name) {
        return storing(name.value(), () -> files.content(name).bytes());
    }

    /**
     * Replaces the text of a configuration, unless it has changed since it was read.
     *
     * @param seen what {@link #text} said
     * @throws MachineException.Broken if {@code text} is no configuration of this machine; the file stays as it is
     * @throws MachineException.Busy if the file has changed meanwhile
     */
    public PersistedMachine replace(MachineName name, byte[] seen, byte[] text) {
        return locked(name, () -> {
            ConfigBytes now = files.content(name);
            if (!Arrays.equals(now.bytes(), seen)) {
                throw new MachineException.Busy(name.value());
            }
            MachineDocument document = files.parse(name, new ConfigBytes(text, now.time()));
            files.write(name, document);
            return document.machine();
        });
    }

    /** Returns what a text would mean as the configuration of a machine. */
    public PersistedMachine parse(MachineName name, byte[] text) {
        return storing(
                name.value(),
                () -> files.parse(
                                name, new ConfigBytes(text, files.content(name).time()))
                        .machine());
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> T locked(MachineName name, Work<T> work) {
        return locked(name.value(), work);
    }

    private <T> T locked(String name, Work<T> work) {
        return storing(name, () -> {
            DurableFiles.ensureDirectory(directories.base());
            try (HeldLock _ = HeldLock.take(directories.lock(), Deadline.after(LOCK_LIMIT))
                    .orElseThrow(() -> new MachineException.Busy(name))) {
                return work.run();
            }
        });
    }

    private <T> T storing(String name, Work<T> work) {
        try {
            return work.run();
        } catch (IOException | LinuxException e) {
            throw new MachineException.Storage(
                    "The files of the machine \"" + Printable.brief(name) + "\" in " + directories.base()
                            + " cannot be used: " + ClocheException.sentenceOf(e) + ".",
                    e);
        }
    }
}
