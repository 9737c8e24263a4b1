package dev.cloche.vm.testing;

import dev.cloche.base.Deadline;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.SnapshotCapture;
import dev.cloche.vmm.disk.DiskDirectory;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;

/** The snapshots of an in-memory provider: copies of what its guests know. Safe for use from several threads. */
final class InMemorySnapshots {
    private final ConcurrentSkipListMap<SnapshotName, Taken> taken = new ConcurrentSkipListMap<>();
    private final InMemoryFaults faults;

    InMemorySnapshots(InMemoryFaults faults) {
        this.faults = faults;
    }

    /**
     * Says what a guest of this kind remembers, but for its files.
     *
     * @param needsIdentity whether it was quiesced
     */
    record Memory(String hostname, Set<String> directories, Map<String, byte[]> secrets, boolean needsIdentity) {
        Memory {
            directories = Set.copyOf(directories);
            secrets = Map.copyOf(secrets);
        }
    }

    /**
     * @param files as they were; a clone without a persistent disk begins without them
     * @param diskMiB the size of the writable disk; 0 without one
     */
    record Taken(SnapshotRef ref, Memory memory, InMemoryTree files, int diskMiB) {}

    List<SnapshotRef> list() {
        return taken.values().stream().map(Taken::ref).toList();
    }

    Optional<Taken> find(SnapshotName name) {
        return Optional.ofNullable(taken.get(name));
    }

    /** @throws SnapshotException.NotFound if it is gone or was replaced */
    Taken find(SnapshotRef wanted) {
        return find(wanted.name())
                .filter(found -> found.ref().equals(wanted))
                .orElseThrow(() -> new SnapshotException.NotFound(wanted.name()));
    }

    /** @throws SnapshotException.NotFound if it is gone or was replaced */
    Memory restore(SnapshotRef wanted) {
        Memory memory = find(wanted).memory();
        faults.restoring(wanted.name());
        return memory;
    }

    SnapshotRef copy(SnapshotName from, SnapshotName to) {
        Taken one = find(from).orElseThrow(() -> new SnapshotException.NotFound(from));
        SnapshotRef ref = one.ref().copied(to, Instant.now().truncatedTo(ChronoUnit.MILLIS));
        if (taken.putIfAbsent(to, new Taken(ref, one.memory(), one.files(), one.diskMiB())) != null) {
            throw new SnapshotException.Exists(to);
        }
        return ref;
    }

    void delete(SnapshotName name) {
        if (taken.remove(name) == null) {
            throw new SnapshotException.NotFound(name);
        }
    }

    SnapshotCapture capture(VmSpec spec, SnapshotName name, InMemoryGuest guest) {
        if (taken.containsKey(name)) {
            throw new SnapshotException.Exists(name);
        }
        return new Copy(spec, name, guest);
    }

    private final class Copy implements SnapshotCapture {
        private final VmSpec spec;
        private final SnapshotName name;
        private final InMemoryGuest guest;
        private Optional<Taken> copied = Optional.empty();

        Copy(VmSpec spec, SnapshotName name, InMemoryGuest guest) {
            this.spec = spec;
            this.name = name;
            this.guest = guest;
        }

        @Override
        public void take(Deadline deadline) {
            SnapshotRef ref = new SnapshotRef(
                    name,
                    spec.templateMaker() ? SnapshotRef.Kind.MAPPED : SnapshotRef.Kind.STREAMED,
                    Instant.now().truncatedTo(ChronoUnit.MILLIS),
                    spec.memoryMiB(),
                    spec.cpus(),
                    spec.rootDisk(),
                    spec.writable(),
                    spec.hasLogPort(),
                    spec.hasNetwork());
            int diskMiB = switch (spec.writable()) {
                case WritableLayer.InMemory _ -> 0;
                case WritableLayer.Disk(int sizeMiB) -> sizeMiB;
                case WritableLayer.Persistent(Path disk) ->
                    new DiskDirectory(disk).read().sizeMiB();
            };
            copied = Optional.of(new Taken(ref, guest.memory(), guest.tree().copy(), diskMiB));
        }

        @Override
        public void suspendDisk() {
            if (spec.writable() instanceof WritableLayer.Persistent(Path directory)) {
                DiskDirectory disk = new DiskDirectory(directory);
                disk.write(disk.read().suspendedAt(copied.orElseThrow().ref()));
            }
        }

        @Override
        public SnapshotRef publish() {
            faults.publishing(name);
            Taken copy = copied.orElseThrow();
            if (taken.putIfAbsent(name, copy) != null) {
                throw new SnapshotException.Exists(name);
            }
            return copy.ref();
        }

        @Override
        public void close() {}
    }
}
