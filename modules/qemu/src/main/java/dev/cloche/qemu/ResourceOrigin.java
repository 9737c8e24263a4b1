package dev.cloche.qemu;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Describes where the files are from that VMs are made with.
 *
 * @param remedy what is to be done if one is missing or damaged: a sentence
 * @param mending compares them with what they were built as, where that is known, writes anew what is damaged, and returns
 *     whether there was anything; asked when a VM does not come up
 * @param hold what guards lock shared as long as they live, so that the files stay; empty where nothing removes them
 */
public record ResourceOrigin(String remedy, BooleanSupplier mending, Optional<Path> hold) {
    /** Returns that of directories of which nothing more is known. */
    public static ResourceOrigin unknown() {
        return whole("Build or unpack the runtime anew, or name another with CLOCHE_SHARE.");
    }

    /** Returns that of directories that nothing mends or removes. */
    public static ResourceOrigin whole(String remedy) {
        return new ResourceOrigin(remedy, () -> false, Optional.empty());
    }
}
