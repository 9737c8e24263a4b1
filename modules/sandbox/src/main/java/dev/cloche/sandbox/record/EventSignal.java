package dev.cloche.sandbox.record;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.FileSignal;
import dev.cloche.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells the processes on a state root that there are new events, by a file in a directory that the kernel watches for
 * them: a database wakes no process. What happened is in the catalog; a signal that is lost is made up for by the next.
 */
public final class EventSignal {
    private final Path directory;
    private final Path file;

    private EventSignal(Path directory) {
        this.directory = directory;
        file = directory.resolve("bell");
    }

    public static EventSignal in(Path stateRoot) {
        return new EventSignal(stateRoot.toAbsolutePath().resolve("events"));
    }

    /** Says that there are new events. */
    public void ring() {
        try {
            if (Files.exists(file)) {
                FileSignal.give(file);
            }
        } catch (IOException removedMeanwhile) {
            // A listener makes it again, and then reads what there is.
        }
    }

    /** Begins to listen: what is rung from now on is a signal of what is returned, which the caller closes. */
    public FileSignal listen() {
        try {
            DurableFiles.ensureDirectory(directory);
            makeFile();
            return FileSignal.listen(directory);
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(file, e);
        }
    }

    private void makeFile() throws IOException {
        try {
            var _ = Files.createFile(file);
        } catch (FileAlreadyExistsException known) {
            // Of an earlier listener.
        }
    }
}
