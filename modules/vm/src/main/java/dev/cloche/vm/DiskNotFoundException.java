package dev.cloche.vm;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** There is no persistent disk in a directory. */
public final class DiskNotFoundException extends VmException {
    public DiskNotFoundException(Path directory, @Nullable Throwable cause) {
        super(
                "vm.disk-not-found",
                "There is no disk in " + directory,
                "Create it, or put back the directory that had it.",
                cause);
    }
}
