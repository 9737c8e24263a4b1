package dev.cloche.vm;

import dev.cloche.base.Printable;
import dev.cloche.linux.SystemCallException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A copy could not read or write a file of the host. */
public final class HostFileException extends VmException {
    private final String path;

    private HostFileException(String path, String what, String remedy, @Nullable Throwable cause) {
        super("vm.host-file", "On this host, '" + Printable.of(path) + "' " + what, remedy, cause);
        this.path = path;
    }

    public static HostFileException of(String path, SystemCallException refused) {
        String what = Optional.ofNullable(refused.getMessage()).orElse("");
        return new HostFileException(
                path,
                "cannot be used: " + what.substring(what.lastIndexOf(": ") + 1).strip(),
                "Check its path, its mode and the space on its disk.",
                refused);
    }

    public static HostFileException inTheWay(String path, String what) {
        return new HostFileException(path, "is in the way: " + what, "Move it away, or copy to another name.", null);
    }

    public static HostFileException unusable(String path, String what, String remedy) {
        return new HostFileException(path, what, remedy, null);
    }

    /** Which file of the host; names that are no UTF-8 as in {@link dev.cloche.base.RawText}. */
    public String path() {
        return path;
    }
}
