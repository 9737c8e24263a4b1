package dev.cloche.machine.config;

import dev.cloche.base.DurableFiles;
import dev.cloche.base.Printable;
import dev.cloche.machine.BrokenMachine;
import dev.cloche.machine.MachineEntry;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads and writes the configuration files of machines, one at a time, without a lock. */
final class MachineFiles {
    private final MachineDirectories directories;
    private final DirectoryOwners owners;

    MachineFiles(MachineDirectories directories, DirectoryOwners owners) {
        this.directories = directories;
        this.owners = owners;
    }

    /**
     * Returns a configuration that can be used.
     *
     * @throws MachineException.NotFound if there is none
     * @throws MachineException.Broken if it cannot be used, or is that of a copy
     */
    MachineDocument document(MachineName name) throws IOException {
        return document(name, owners.new Look());
    }

    private MachineDocument document(MachineName name, DirectoryOwners.Look look) throws IOException {
        MachineDocument document = parse(name, content(name));
        owners.check(document.machine(), look);
        return document;
    }

    /**
     * Returns the configuration of a copy, which may still have the name of the original.
     *
     * @throws MachineException.Invalid if the machine is no copy
     */
    MachineDocument copy(MachineName name) throws IOException {
        ConfigBytes content = content(name);
        try {
            MachineDocument document = MachineDocument.parseUnderAnyName(content.bytes(), content.time());
            if (owners.owns(document.machine().withName(name))) {
                throw new MachineException.Invalid(
                        "The machine \"" + name + "\" is no copy: its vm_id is its own.",
                        "Make a copy of it with: cloche.machines().copy(\"" + name + "\", …)");
            }
            return document;
        } catch (DocumentException e) {
            throw new MachineException.Broken(broken(name, e));
        }
    }

    /**
     * Returns the text of a configuration, usable or not.
     *
     * @throws MachineException.NotFound if there is none
     */
    ConfigBytes content(MachineName name) throws IOException {
        try {
            return MachineDirectories.read(directories.config(name));
        } catch (NoSuchFileException missing) {
            throw new MachineException.NotFound(name);
        }
    }

    /**
     * Returns what a text means as the configuration of a machine.
     *
     * @throws MachineException.Broken if that is nothing
     */
    MachineDocument parse(MachineName name, ConfigBytes content) {
        try {
            return MachineDocument.parse(content.bytes(), name.value(), content.time());
        } catch (DocumentException e) {
            throw new MachineException.Broken(broken(name, e));
        }
    }

    private BrokenMachine broken(MachineName name, DocumentException e) {
        BrokenMachine.Cause cause = e.newer() ? BrokenMachine.Cause.NEWER : BrokenMachine.Cause.UNUSABLE;
        return new BrokenMachine(name.value(), directories.config(name), e.line(), e.reason(), cause);
    }

    /**
     * Returns what there is of a name in the list of them; empty if it is gone.
     *
     * @param look for all of a list
     */
    Optional<MachineEntry> entry(String name, DirectoryOwners.Look look) {
        if (!MachineName.isValid(name)) {
            return broken(name, "its directory's name is no name of a machine");
        }
        try {
            return Optional.of(new MachineEntry.Usable(
                    document(new MachineName(name), look).machine()));
        } catch (MachineException.NotFound gone) {
            return Optional.empty();
        } catch (MachineException.Broken broken) {
            return Optional.of(broken.entry());
        } catch (IOException unreadable) {
            // One that cannot be read must not hide the others, nor be hidden by them.
            return broken(name, Printable.brief("it cannot be read: " + unreadable));
        }
    }

    private Optional<MachineEntry> broken(String name, String reason) {
        Path file = directories.base().resolve(name).resolve(MachineDirectories.CONFIG);
        return Optional.of(new BrokenMachine(name, file, OptionalInt.empty(), reason, BrokenMachine.Cause.UNUSABLE));
    }

    /**
     * Writes a document with other values, where those differ.
     *
     * @throws MachineException.Invalid if a text of them cannot be written down
     */
    void write(MachineName name, MachineDocument document, PersistedMachine values) throws IOException {
        try {
            write(name, document.meaning(values));
        } catch (DocumentException e) {
            throw notWritable(values, e);
        }
    }

    void write(MachineName name, MachineDocument document) throws IOException {
        DurableFiles.write(directories.config(name), document.bytes());
    }

    static MachineException notWritable(PersistedMachine machine, DocumentException e) {
        return new MachineException.Invalid(
                "The machine \"" + machine.name() + "\" cannot be written down: " + e.reason() + ".",
                "Give other values.");
    }
}
