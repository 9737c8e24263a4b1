package dev.cloche.vmm.channel;

import dev.cloche.linux.DirectoryHandle;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vmm.protocol.FileEntry;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Describes a directory of the host that a copy is filling.
 *
 * @param name in the copy
 * @param made what it shall be, if this copy made it; a directory that was there stays as it was
 * @param names what this copy has made in a directory that was there. In a directory of its own, all that is there is its
 *     work
 */
record OpenDirectory(DirectoryHandle handle, String name, Optional<FileEntry> made, Set<String> names)
        implements AutoCloseable {
    OpenDirectory(DirectoryHandle handle, String name, Optional<FileEntry> made) {
        this(handle, name, made, new HashSet<>());
    }

    /** Returns whether the copy may give this name: it has not given it before. */
    boolean claim(String part, boolean exists) {
        return made.isPresent() ? !exists : names.add(part);
    }

    void complete(CopyOptions options) {
        if (made.isPresent()) {
            FileEntry entry = made.get();
            if (options.owners()) {
                handle.setOwner(entry.uid(), entry.gid());
            }
            handle.setMode(IncomingFile.hostMode(entry, options));
            handle.setModified(entry.modified());
        }
    }

    @Override
    public void close() {
        handle.close();
    }
}
