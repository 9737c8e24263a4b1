package dev.cloche.machine;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/** What the configuration files of machines mean: reads and writes one at a time, without a lock. */
final class MachineFiles {
    private final MachineDirectories directories;

    MachineFiles(MachineDirectories directories) {
        this.directories = directories;
    }

    /**
     * A configuration that can be used.
     *
     * @throws MachineException.NotFound if there is none
     * @throws MachineException.Broken if it cannot be used
     */
    MachineDocument document(MachineName name) throws IOException {
        return parse(name, content(name));
    }

    /**
     * The text of a configuration, usable or not.
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
     * What a text means as the configuration of a machine.
     *
     * @throws MachineException.Broken if that is nothing
     */
    MachineDocument parse(MachineName name, ConfigBytes content) {
        try {
            return MachineDocument.parse(content.bytes(), name.value(), content.time());
        } catch (DocumentException e) {
            throw new MachineException.Broken(
                    new BrokenMachine(name.value(), directories.config(name), e.line(), e.reason(), e.newer()));
        }
    }

    /** What there is of a name in the list of them; empty if it is gone. */
    Optional<MachineEntry> entry(String name) {
        if (!MachineName.isValid(name)) {
            return broken(name, "its directory's name is no name of a machine");
        }
        try {
            return Optional.of(
                    new MachineEntry.Sound(document(new MachineName(name)).machine()));
        } catch (MachineException.NotFound gone) {
            return Optional.empty();
        } catch (MachineException.Broken broken) {
            return Optional.of(broken.entry());
        } catch (IOException unreadable) {
            // One that cannot be read must not hide the others, nor be hidden by them.
            return broken(name, Printable.of("it cannot be read: " + unreadable));
        }
    }

    private Optional<MachineEntry> broken(String name, String reason) {
        Path file = directories.base().resolve(name).resolve(MachineDirectories.CONFIG);
        return Optional.of(new BrokenMachine(name, file, OptionalInt.empty(), reason, false));
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
