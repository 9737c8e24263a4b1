package dev.cloche;

import dev.cloche.sandbox.Orphan;

/**
 * Something in the state root that no record has, as a catalog leaves it that was lost, emptied, or restored from an old copy.
 *
 * @param kind {@code vm}, {@code socket}, {@code sandbox-directory}, {@code snapshot-directory}, {@code image-pin} or {@code
 *     execution}
 * @param name of the VM, the path or what an image is kept for
 * @param live whether it is a VM that runs
 * @param inUse whether a living process owns it; it is left alone then
 * @param what one sentence on it
 */
public record OrphanInfo(String kind, String name, boolean live, boolean inUse, String what) {
    static OrphanInfo of(Orphan orphan) {
        return new OrphanInfo(Words.of(orphan.kind()), orphan.name(), orphan.live(), orphan.inUse(), orphan.what());
    }

    static OrphanInfo ofExecution(String path) {
        return new OrphanInfo("execution", path, false, false, "No process has the output in " + path + ".");
    }
}
