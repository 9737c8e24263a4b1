package dev.cloche.sandbox;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/**
 * Tells the processes on a state root that there are new events, by a file in a directory that the kernel watches for them: a
 * database wakes nobody. What happened is in the catalog; a ring that is lost is made up for by the next.
 */
final class EventBell {
    private final Path directory;
    private final Path file;

    private EventBell(Path directory) {
        this.directory = directory;
        file = directory.resolve("bell");
    }

    static EventBell in(Path stateRoot) {
        return new EventBell(stateRoot.toAbsolutePath().resolve("events"));
    }

    /** Says that there are new events. */
    void ring() {
        try {
            // A change of its times alone is an event to the kernel, and writes nothing.
            Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
        } catch (IOException nobodyHasListenedYet) {
            // Who listens makes the file, and then reads what there is.
        }
    }

    /** Begins to listen: what is rung from now on is seen by the service, which the caller closes. */
    WatchService listen() {
        try {
            DurableFiles.ensureDirectory(directory);
            makeFile();
            WatchService service = directory.getFileSystem().newWatchService();
            try {
                var _ = directory.register(
                        service, StandardWatchEventKinds.ENTRY_MODIFY, StandardWatchEventKinds.ENTRY_CREATE);
            } catch (IOException e) {
                service.close();
                throw e;
            }
            return service;
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(file, e);
        }
    }

    private void makeFile() throws IOException {
        try {
            var _ = Files.createFile(file);
        } catch (FileAlreadyExistsException known) {
            // Of who listened before.
        }
    }
}
