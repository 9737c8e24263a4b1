package dev.cloche.vm;

import org.jspecify.annotations.Nullable;

/** A file or directory of a VM could not be read, written or removed, or is not safe to use. */
public final class VmStorageException extends VmException {
    public VmStorageException(String sentence, String remedy, @Nullable Throwable cause) {
        super("vm.storage", sentence, remedy, cause);
    }
}
