package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.machine.config.MachineStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** A store of machines for one test. */
abstract class StoredMachines {
    static final MachineName WEB = SampleMachines.WEB;

    @TempDir
    Path directory;

    Path base() {
        return directory.resolve("machines");
    }

    MachineStore store() {
        return new MachineStore(base());
    }

    BrokenMachine broken(String name) {
        return store().loadAll().stream()
                .filter(entry -> entry.name().equals(name))
                .map(BrokenMachine.class::cast)
                .findFirst()
                .orElseThrow();
    }

    Path put(String name, String text) throws IOException {
        Files.createDirectories(base().resolve(name));
        return Files.writeString(base().resolve(name).resolve("config.toml"), text);
    }

    static String resource(String name) throws IOException {
        try (InputStream in = StoredMachines.class.getResourceAsStream("/old/" + name)) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
