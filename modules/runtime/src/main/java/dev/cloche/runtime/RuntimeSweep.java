package dev.cloche.runtime;

import dev.cloche.base.ClocheException;
import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import dev.cloche.linux.TreeRemoval;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Removes unpacked runtimes that nothing needs: 30 days after the last use, where no process has one, and no state root that has
 * used it has memory of a guest that was taken on it. A state root that is gone may come back, from a disk that is not mounted,
 * and counts for 90 days more. What a killed sweep leaves, the next one removes.
 */
final class RuntimeSweep {
    static final Duration UNUSED = Duration.ofDays(30);
    static final Duration ABSENT = Duration.ofDays(90);

    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    /** The name of one that is being deleted, so that none is found whose files are half gone. */
    private static final String LEFT = ".old-";

    private final Path cache;
    private final Instant now;

    /** @param cache with all runtimes of this user */
    RuntimeSweep(Path cache, Instant now) {
        this.cache = cache;
        this.now = now;
    }

    /** Returns the names of those that were removed; what resists stays. */
    List<String> run() {
        List<String> removed = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(cache)) {
            for (Path each : all) {
                String name = String.valueOf(each.getFileName());
                if (name.startsWith(LEFT)) {
                    delete(name);
                } else if (DIGEST.matcher(name).matches() && isUnused(each) && remove(each)) {
                    removed.add(name);
                }
            }
        } catch (IOException | DirectoryIteratorException | SystemCallException e) {
            System.getLogger(RuntimeArtefact.class.getName())
                    .log(
                            System.Logger.Level.DEBUG,
                            "unused runtimes stay in " + cache + ": " + ClocheException.sentenceOf(e));
        }
        return removed;
    }

    private boolean remove(Path directory) throws IOException {
        Path used = directory.resolve(RuntimeUse.LOCK);
        Path unpacking = directory.resolve(RuntimeCache.LOCK);
        try (LockFile users = LockFile.tryLock(used).orElse(null);
                LockFile writers = LockFile.tryLock(unpacking).orElse(null)) {
            // A process may have come and gone since it was looked at.
            if (users == null || writers == null || !isUnused(directory)) {
                return false;
            }
            String name = LEFT + UUID.randomUUID();
            Files.move(directory, cache.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            delete(name);
            return true;
        }
    }

    private void delete(String name) {
        try (DirectoryHandle parent = DirectoryHandle.open(cache)) {
            TreeRemoval.remove(parent, name, RuntimeUse.LOCK);
        }
    }

    private boolean isUnused(Path directory) throws IOException {
        Instant last = lastChange(directory.resolve(RuntimeCache.LOCK));
        last = later(last, lastChange(directory.resolve(RuntimeCache.STAMPS)));
        List<Path> users = users(directory);
        for (Path user : users) {
            last = later(last, lastChange(user));
        }
        // Without any of these times it is about to be unpacked.
        if (last.equals(Instant.EPOCH) || now.isBefore(last.plus(UNUSED))) {
            return false;
        }
        for (Path user : users) {
            if (isNeeded(user, directory)) {
                return false;
            }
        }
        return true;
    }

    private static List<Path> users(Path directory) throws IOException {
        List<Path> users = new ArrayList<>();
        try (DirectoryStream<Path> notes =
                Files.newDirectoryStream(directory.resolve(RuntimeUse.USERS), entry -> isNote(entry))) {
            notes.forEach(users::add);
        } catch (NoSuchFileException none) {
            // It was unpacked, and no state root was opened with it.
        }
        return users;
    }

    private static boolean isNote(Path file) {
        return DIGEST.matcher(String.valueOf(file.getFileName())).matches();
    }

    private boolean isNeeded(Path user, Path directory) throws IOException {
        Path stateRoot = Path.of(Files.readString(user));
        return Files.isDirectory(stateRoot)
                ? hasMemoryOf(stateRoot, directory)
                : now.isBefore(lastChange(user).plus(UNUSED).plus(ABSENT));
    }

    /**
     * Returns whether a snapshot with memory, which that of a suspended machine is too, was taken with this kernel or agent. Its
     * record names their digests, in whichever format; one that cannot be read may be such a snapshot.
     */
    private static boolean hasMemoryOf(Path stateRoot, Path directory) throws IOException {
        List<String> digests = new ArrayList<>();
        for (String part : List.of("kernel/vmlinux", "initramfs")) {
            if (Files.exists(directory.resolve(part))) {
                digests.add(Sha256.of(directory.resolve(part)));
            }
        }
        try (DirectoryStream<Path> snapshots = Files.newDirectoryStream(stateRoot.resolve("snapshots"))) {
            for (Path snapshot : snapshots) {
                if (names(snapshot.resolve("manifest.json"), digests)) {
                    return true;
                }
            }
            return false;
        } catch (NoSuchFileException none) {
            return false;
        }
    }

    private static boolean names(Path record, List<String> digests) throws IOException {
        try {
            String text = Files.readString(record, StandardCharsets.ISO_8859_1);
            return digests.stream().anyMatch(text::contains);
        } catch (NoSuchFileException unfinished) {
            return false;
        }
    }

    private static Instant later(Instant one, Instant other) {
        return one.isBefore(other) ? other : one;
    }

    private static Instant lastChange(Path file) throws IOException {
        try {
            return Files.getLastModifiedTime(file).toInstant();
        } catch (NoSuchFileException missing) {
            return Instant.EPOCH;
        }
    }
}
