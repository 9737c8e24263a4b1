package dev.cloche.sandbox.directory;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxException;
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
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds and removes orphaned directories, of sandboxes or snapshots that are not recorded: of processes that died
 * before they wrote the row, and of those that came too late for one that was just removed. A disk is made after the
 * row, and removed before it; so a directory that has one was recorded in a catalog that is lost, and stays until a
 * caller asks for its removal.
 */
public final class OrphanDirectories {
    private final Path all;
    private final Supplier<Set<String>> recorded;
    private final Duration youth;

    /**
     * Creates what looks for them.
     *
     * @param all where they are
     * @param recorded the names of those that have a row
     * @param youth in which a directory may still get its row
     */
    public OrphanDirectories(Path all, Supplier<Set<String>> recorded, Duration youth) {
        this.all = all;
        this.recorded = recorded;
        this.youth = youth;
    }

    /**
     * Removes those that no process has in hand, as far as there is time.
     *
     * @return how many resist
     */
    public int remove(Instant now, Deadline deadline) {
        int errors = 0;
        for (String name : find(now)) {
            if (!hasDisk(name) && !deadline.passed()) {
                errors += remove(name) ? 0 : 1;
            }
        }
        return errors;
    }

    private boolean hasDisk(String name) {
        return Files.exists(new SandboxDirectory(all, name).disk());
    }

    /** Returns the names of those that are not recorded and old enough. */
    public List<String> find(Instant now) {
        List<String> found = old(now);
        if (found.isEmpty()) {
            return List.of();
        }
        // Read after the directories were listed: a row is there before its directory can be listed, or the directory
        // is young.
        Set<String> known = recorded.get();
        return found.stream().filter(name -> !known.contains(name)).toList();
    }

    public Path path(String name) {
        return all.resolve(name);
    }

    private List<String> old(Instant now) {
        try (Stream<Path> entries = Files.list(all)) {
            return entries.filter(entry -> isOld(entry, now))
                    .map(entry -> entry.getFileName().toString())
                    .toList();
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(all, e);
        }
    }

    private boolean isOld(Path entry, Instant now) {
        try {
            return !Files.getLastModifiedTime(entry).toInstant().plus(youth).isAfter(now);
        } catch (IOException gone) {
            return false;
        }
    }

    /**
     * Removes one with all that is in it, unless a process has it in hand, or it has a record by now; false if it
     * resists.
     */
    public boolean remove(String name) {
        try {
            Optional<OwnerLock> taken = new SandboxDirectory(all, name).tryLock();
            if (taken.isPresent()) {
                try (OwnerLock lock = taken.get()) {
                    if (!recorded.get().contains(name)) {
                        lock.directory().remove();
                    }
                }
            }
            return true;
        } catch (ClocheException resists) {
            System.getLogger(OrphanDirectories.class.getName())
                    .log(Level.WARNING, "the directory " + all.resolve(name) + " of no sandbox resists", resists);
            return false;
        }
    }
}
