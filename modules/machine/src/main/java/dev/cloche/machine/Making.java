package dev.cloche.machine;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory of a machine that is being made: it gets its name when it is whole, or goes. */
final class Making implements AutoCloseable {
    private final Path directory;

    private Making(Path directory) {
        this.directory = directory;
    }

    static Making begin(MachineStore store) throws IOException {
        return new Making(store.directories().making());
    }

    Path directory() {
        return directory;
    }

    /**
     * Writes the configuration into it, durably.
     *
     * @throws MachineException.Invalid if a text cannot be written down
     */
    void describe(PersistedMachine machine) throws IOException {
        try {
            DurableFiles.write(
                    directory.resolve(MachineDirectories.CONFIG),
                    MachineDocument.of(machine).bytes());
        } catch (DocumentException e) {
            throw MachineStore.notWritable(machine, e);
        }
    }

    @Override
    public void close() throws IOException {
        if (Files.exists(directory)) {
            Trees.delete(directory);
        }
    }
}
