package dev.cloche.vm.testing;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.disk.DiskContents;
import dev.cloche.vmm.disk.DiskDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is on the persistent disks of an in-memory provider: the files of a guest, which live as long as the provider. Their
 * directories, records and locks are real. Safe for use from several threads.
 */
final class InMemoryDisks implements DiskContents {
    private static final String NAME = "in-memory";

    private final ConcurrentHashMap<String, InMemoryTree> trees = new ConcurrentHashMap<>();
    private final InMemorySnapshots snapshots;

    InMemoryDisks(InMemorySnapshots snapshots) {
        this.snapshots = snapshots;
    }

    /** @throws VmException.Storage if the disk is not this provider's */
    InMemoryTree tree(Path directory) {
        try {
            InMemoryTree tree = trees.get(Files.readString(directory.resolve(NAME)));
            if (tree != null) {
                return tree;
            }
            throw new IOException("it belongs to another provider");
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The disk in " + directory + " cannot be used: " + e.getMessage(),
                    "Use the provider that made it.",
                    e);
        }
    }

    private void put(Path directory, InMemoryTree tree) throws IOException {
        String name = UUID.randomUUID().toString();
        Files.writeString(directory.resolve(NAME), name);
        trees.put(name, tree);
    }

    @Override
    public void make(Path directory, int sizeMiB) throws IOException {
        put(directory, new InMemoryTree());
    }

    @Override
    public int make(Path directory, SnapshotRef snapshot) throws IOException {
        InMemorySnapshots.Taken taken = snapshots.find(snapshot);
        put(directory, taken.files().copy());
        return taken.diskMiB();
    }

    @Override
    public void grow(Path directory, int sizeMiB) {}

    @Override
    public void copy(Path from, Path to) throws IOException {
        put(to, tree(from).copy());
    }

    @Override
    public int make(Path directory, Path raw) throws IOException {
        String[] words = Files.readString(raw).split(" ", -1);
        put(
                directory,
                Optional.ofNullable(trees.get(words[0]))
                        .orElseThrow(() -> new IOException("it is no disk of this provider"))
                        .copy());
        return Integer.parseInt(words[1].strip());
    }

    /** Only a provider of this JVM can make a disk of it again. */
    @Override
    public void flatten(Path directory, Path raw) throws IOException {
        int mebibytes = new DiskDirectory(directory).read().sizeMiB();
        Files.writeString(raw, Files.readString(directory.resolve(NAME)) + " " + mebibytes);
    }
}
