package dev.cloche.runtime;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * Says who uses an unpacked runtime. Processes hold a shared lock on {@code .used} in it as long as they live, guards too. A file
 * for each state root, {@code users/DIGEST}, has its path, and as its time that of the last use.
 */
final class RuntimeUse {
    static final String LOCK = ".used";
    static final String USERS = "users";

    /** By directory; never closed, so that each is in use until this JVM ends. */
    private static final Map<Path, LockFile> HELD = new HashMap<>();

    private RuntimeUse() {}

    /**
     * Holds an unpacked runtime until this JVM ends.
     *
     * @return false if a sweep has removed it meanwhile
     */
    static synchronized boolean hold(Path directory, Deadline deadline) {
        Path path = directory.resolve(LOCK);
        LockFile known = HELD.get(directory);
        if (known != null && known.isOf(path)) {
            return true;
        }
        try {
            LockFile lock = LockFile.lockShared(path, deadline)
                    .orElseThrow(() -> new RuntimeUnusable.Busy(directory, "another process was still removing it"));
            if (lock.isOf(path)) {
                HELD.put(directory, lock);
                return true;
            }
            lock.close();
            return false;
        } catch (SystemCallException e) {
            // What cannot be written here, no sweep can remove.
            return Files.isDirectory(directory) && !Files.isWritable(directory);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeUnusable.Busy(directory, "this thread was interrupted");
        }
    }

    /** Notes that a state root uses it now. A runtime that cannot be written has no notes, and no sweep removes it. */
    static void note(Path directory, Path stateRoot, Instant now) {
        try {
            Path users = DurableFiles.ensureDirectory(directory.resolve(USERS));
            byte[] path = stateRoot.toString().getBytes(StandardCharsets.UTF_8);
            Path note = users.resolve(HexFormat.of().formatHex(Sha256.of(path)));
            if (!Files.exists(note)) {
                DurableFiles.write(note, path);
            }
            Files.setLastModifiedTime(note, FileTime.from(now));
        } catch (IOException e) {
            System.getLogger(RuntimeArtefact.class.getName())
                    .log(
                            System.Logger.Level.DEBUG,
                            "the use of " + directory + " is not noted: " + ClocheException.sentenceOf(e));
        }
    }
}
