package dev.cloche.machine.lifecycle;

import dev.cloche.base.DurableFiles;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Keeps the name of the machine that is meant where none is given. It need not exist. */
public final class DefaultMachine {
    private final Path base;

    public DefaultMachine(Path base) {
        this.base = base;
    }

    private Path file() {
        return base.resolve(".default");
    }

    public Optional<MachineName> get() {
        try {
            String name = Files.readString(file()).strip();
            return MachineName.isValid(name) ? Optional.of(new MachineName(name)) : Optional.empty();
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    public void set(MachineName name) {
        try {
            DurableFiles.ensureDirectory(base);
            DurableFiles.write(file(), (name + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private MachineException failed(IOException e) {
        return new MachineException.Storage("The file " + file() + " cannot be used: " + e.getMessage() + ".", e);
    }
}
