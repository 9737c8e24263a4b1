package dev.cloche.vmm.channel;

import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.SystemCallException;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.GuestPaths;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Describes the file of the host that a copy makes.
 *
 * @param parent the directory that it lies in, reached by a path that the caller vouches for
 * @param name its name there, as in {@link dev.cloche.base.RawText}
 */
record CopyTarget(Path parent, String name) {
    /** @throws VmException.Invalid if the path is the root */
    static CopyTarget of(Path path) {
        Path absolute = path.toAbsolutePath();
        if (absolute.endsWith(".") || absolute.endsWith("..")) {
            absolute = real(absolute);
        }
        Path parent = absolute.getParent();
        if (parent == null) {
            throw new VmException.Invalid(
                    "The root of the host is not a name that can be made", "Name the copy itself, in a directory.");
        }
        return new CopyTarget(parent, GuestPaths.last(DirectoryHandle.raw(absolute)));
    }

    /** Returns what a path leads to. */
    static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            throw GuestException.HostFile.unusable(path.toString(), "leads nowhere", "Check the path.");
        }
    }

    DirectoryHandle openParent() {
        return DirectoryHandle.open(parent);
    }

    String shown() {
        return parent.getNameCount() == 0 ? "/" + name : parent + "/" + name;
    }

    /** Of a name in the copy. */
    String shown(String relative) {
        return relative.isEmpty() ? shown() : shown() + "/" + relative;
    }

    /** Turns what the kernel refuses into this room's error. */
    <T> T refused(String relative, Supplier<T> action) {
        try {
            return action.get();
        } catch (SystemCallException e) {
            throw GuestException.HostFile.of(shown(relative), e);
        }
    }
}
