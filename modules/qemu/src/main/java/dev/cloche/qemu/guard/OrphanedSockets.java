package dev.cloche.qemu.guard;

import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds orphaned sockets, whose VMs are gone: a guard that is killed together with its VM's directory leaves them. */
public record OrphanedSockets(VmLayout layout) {
    /** Finds them. A socket is made after the directory of its VM, and removed before it. */
    public List<Path> find() {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(layout.runtimeDirectory())) {
            for (Path socket : sockets) {
                String name = socket.getFileName().toString();
                int dot = name.lastIndexOf('.');
                String id = dot < 0 ? "" : name.substring(0, dot);
                if (VmId.isValid(id) && !Files.exists(layout.directory(new VmId(id)))) {
                    found.add(socket);
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The sockets in " + layout.runtimeDirectory() + " cannot be listed: " + e.getMessage(),
                    "Check the owner and mode of that directory.",
                    e);
        }
        found.sort(null);
        return List.copyOf(found);
    }

    public void remove() {
        for (Path socket : find()) {
            try {
                Files.deleteIfExists(socket);
            } catch (IOException e) {
                throw new VmException.Storage(
                        "The socket " + socket + " cannot be removed: " + e.getMessage(),
                        "Check its owner and mode, and remove it by hand.",
                        e);
            }
        }
    }
}
