package dev.cloche;

import dev.cloche.base.FileStamp;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Keeps what {@code config.toml} says for as long as the file stays as it is: every start asks. Safe for use from several threads. */
final class ConfigurationFile {
    private record Known(Optional<FileStamp> stamp, Configuration configuration) {}

    private final Path file;
    private final AtomicReference<Optional<Known>> known = new AtomicReference<>(Optional.empty());

    ConfigurationFile(Path root) {
        file = root.resolve("config.toml");
    }

    /** @throws HostException.ConfigInvalid if the file is there and cannot be read or understood */
    Configuration read() {
        // Before its content: what is written meanwhile is read again by the next.
        Optional<FileStamp> stamp = stamp();
        Optional<Known> before = known.get().filter(kept -> kept.stamp().equals(stamp));
        if (before.isPresent()) {
            return before.get().configuration();
        }
        Configuration configuration = Configuration.read(file);
        known.set(Optional.of(new Known(stamp, configuration)));
        return configuration;
    }

    /** Empty if there is none. */
    private Optional<FileStamp> stamp() {
        try {
            return FileStamp.find(file);
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
