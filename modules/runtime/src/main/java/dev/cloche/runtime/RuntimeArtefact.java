package dev.cloche.runtime;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Represents the runtime artefact: what VMs are made with, as resources. On the class path they are found by their names and
 * read as streams, so nested and shaded jars are as good as any other; on the module path a service has them. Safe for use from
 * several threads and processes.
 */
public final class RuntimeArtefact {
    /** Lists the resources. */
    static final String INDEX = "META-INF/cloche/runtime/index";

    private static final String FILES = "META-INF/cloche/runtime/files/";

    private final RuntimeFiles files;
    private final RuntimeIndex index;

    private RuntimeArtefact(RuntimeFiles files, RuntimeIndex index) {
        this.files = files;
        this.index = index;
    }

    /**
     * Finds the artefact; empty if there is none. Reads its index alone, which takes about a millisecond.
     *
     * @throws RuntimeUnusable.Damaged if its index is none
     */
    public static Optional<RuntimeArtefact> find(ClassLoader loader) {
        Optional<RuntimeArtefact> onClassPath = of(loader::getResourceAsStream);
        return onClassPath.isPresent()
                ? onClassPath
                : ServiceLoader.load(RuntimeFiles.class, loader).findFirst().flatMap(RuntimeArtefact::of);
    }

    private static Optional<RuntimeArtefact> of(RuntimeFiles files) {
        try (InputStream in = files.open(INDEX)) {
            return in == null
                    ? Optional.empty()
                    : Optional.of(
                            new RuntimeArtefact(files, RuntimeIndex.parse(in.readNBytes(RuntimeIndex.MAX_BYTES + 1))));
        } catch (IOException e) {
            throw new RuntimeUnusable.Damaged("its index cannot be read: " + e.getMessage());
        }
    }

    /** Returns the SHA-256 of its index in hexadecimal, which names this runtime. */
    public String digest() {
        return index.digest();
    }

    /**
     * Returns the directory that artefacts are unpacked to: the system property {@code cloche.runtime.dir}, else {@code
     * cloche/runtime} in {@code XDG_CACHE_HOME} or {@code ~/.cache}.
     *
     * @param environment of this process
     * @param property the value of {@code cloche.runtime.dir}, if it is set
     * @param home the user's home directory
     * @throws RuntimeUnusable.NoDirectory if none of these is there
     */
    public static Path cache(Map<String, String> environment, Optional<String> property, String home) {
        if (property.filter(named -> !named.isBlank()).isPresent()) {
            return Path.of(property.get()).toAbsolutePath();
        }
        String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
        if (xdg.startsWith("/")) {
            return Path.of(xdg, "cloche", "runtime");
        }
        // Where the system knows no home of this user, the JDK answers with a question mark.
        if (!home.startsWith("/") || home.equals("/nonexistent")) {
            throw new RuntimeUnusable.NoDirectory();
        }
        return Path.of(home, ".cache", "cloche", "runtime");
    }

    /**
     * Returns the directory with the files of the artefact below a directory for all of them. The first use unpacks it there, and
     * waits for a process that is doing so. Each further use compares what the file system says of the files, in milliseconds;
     * a file that was changed is written anew. No sweep removes it before this JVM ends.
     *
     * @throws RuntimeUnusable if that is not possible
     */
    public Path unpacked(Path cache, Deadline deadline) {
        RuntimeCache files = new RuntimeCache(cache, index, this::open);
        Path directory = files.directory(deadline);
        // A sweep may have removed it just now.
        while (!RuntimeUse.hold(directory, deadline.orAfter(RuntimeCache.PATIENCE))) {
            directory = files.directory(deadline);
        }
        return directory;
    }

    /**
     * Compares the digests of all files, which takes some tenths of a second, and writes those anew that are not as they were
     * built; for a start that has failed in loading one.
     *
     * @return whether there were any
     * @throws RuntimeUnusable if that is not possible
     */
    public boolean mend(Path cache, Deadline deadline) {
        return new RuntimeCache(cache, index, this::open).mend(deadline);
    }

    /**
     * Notes that a state root uses the artefact that is unpacked in {@code cache}, so that {@link #removeUnused} knows whom to ask
     * before it removes it.
     */
    public void noteUse(Path cache, Path stateRoot, Clock clock) {
        RuntimeUse.note(cache.resolve(digest()), stateRoot, clock.instant());
    }

    /**
     * Removes from {@code cache} what is unused: 30 days after its last use, where no process has it and no state root has memory
     * of a guest that runs on it alone.
     *
     * @return the digests of those that were removed
     */
    public static List<String> removeUnused(Path cache, Clock clock) {
        return new RuntimeSweep(cache, clock.instant()).run();
    }

    /** Returns the file in the directory of an unpacked artefact that a process holds shared which uses it. */
    public static Path useLock(Path unpacked) {
        return unpacked.resolve(RuntimeUse.LOCK);
    }

    private InputStream open(RuntimeIndex.Entry entry) {
        InputStream in = files.open(FILES + entry.path());
        if (in == null) {
            throw new RuntimeUnusable.Damaged("it lacks " + entry.path());
        }
        return in;
    }
}
