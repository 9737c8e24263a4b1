package dev.cloche.qemu;

import java.util.function.BooleanSupplier;

/**
 * Describes where the files are from that VMs are made with.
 *
 * @param remedy what is to be done if one is missing or damaged: a sentence
 * @param mending compares them with what they were built as, where that is known, writes anew what is damaged, and returns
 *     whether there was anything; asked when a VM does not come up
 */
public record ResourceOrigin(String remedy, BooleanSupplier mending) {
    /** Returns that of directories of which nothing more is known. */
    public static ResourceOrigin unknown() {
        return new ResourceOrigin("Build or unpack the runtime anew, or name another with CLOCHE_SHARE.", () -> false);
    }
}
