package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Directories of sandboxes that are not recorded: of a start that died before its row was, and of who came too late for a
 * sandbox that was just removed.
 */
final class OrphanDirectories {
    private final SandboxLocks locks;
    private final SweepStore store;
    private final Duration youth;

    /** @param youth in which a directory may still get its row */
    OrphanDirectories(SandboxLocks locks, SweepStore store, Duration youth) {
        this.locks = locks;
        this.store = store;
        this.youth = youth;
    }

    /** Removes those that nobody has in hand, as far as there is time. @return how many resist */
    int remove(Instant now, Deadline deadline) {
        List<String> found = old(now);
        if (found.isEmpty()) {
            return 0;
        }
        // Read after the directories were listed: a row is there before anybody lists its directory, or the directory
        // is young.
        Set<String> recorded = store.directories();
        int errors = 0;
        for (String name : found) {
            if (!recorded.contains(name) && !deadline.passed()) {
                errors += remove(name) ? 0 : 1;
            }
        }
        return errors;
    }

    private List<String> old(Instant now) {
        try (Stream<Path> entries = Files.list(locks.sandboxes())) {
            return entries.filter(entry -> isOld(entry, now))
                    .map(entry -> entry.getFileName().toString())
                    .toList();
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(locks.sandboxes(), e);
        }
    }

    private boolean isOld(Path entry, Instant now) {
        try {
            return !Files.getLastModifiedTime(entry).toInstant().plus(youth).isAfter(now);
        } catch (IOException gone) {
            return false;
        }
    }

    private boolean remove(String name) {
        try {
            Optional<OwnerLock> taken = locks.directory(name).tryLock();
            if (taken.isPresent()) {
                try (OwnerLock lock = taken.get()) {
                    if (!store.directories().contains(name)) {
                        lock.directory().remove();
                    }
                }
            }
            return true;
        } catch (ClocheException resists) {
            System.getLogger(OrphanDirectories.class.getName())
                    .log(Level.WARNING, "the directory " + name + " of no sandbox resists", resists);
            return false;
        }
    }
}
