package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vm.testing.InMemoryProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * In-memory VMs that other processes see, as they see real ones: by a directory with a lock that lives as long as the VM.
 * Their guard is the process that started them, so they end with it.
 */
final class FiledVms extends ForwardingVms {
    private static final String LOCK = "lock";
    private static final String STARTED = "guard.json";

    private final Map<VmId, LockFile> guards = new ConcurrentHashMap<>();
    private final Path directory;
    private final FiledMemories memories;

    FiledVms(Path stateRoot) {
        super(new InMemoryProvider());
        directory = stateRoot.resolve("vms");
        memories = new FiledMemories(memory, stateRoot.resolve("memories"));
    }

    @Override
    public Optional<SnapshotRef> snapshot(SnapshotName name) {
        return memories.find(name);
    }

    @Override
    public void deleteSnapshot(SnapshotName name) {
        memories.delete(name);
    }

    private Path of(VmId id) {
        return directory.resolve(id.value());
    }

    @Override
    public Vm create(VmSpec spec) {
        try {
            DurableFiles.ensureDirectory(directory);
            Files.createDirectory(of(spec.id()));
            Files.writeString(of(spec.id()).resolve("spec.json"), "{}");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new FiledVm(memory.create(spec));
    }

    private void started(VmId id) {
        guards.put(id, LockFile.tryLock(of(id).resolve(LOCK)).orElseThrow());
        try {
            Files.writeString(of(id).resolve(STARTED), "{}");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Vm create(VmSpec spec, PoolSlot slot) {
        throw new UnsupportedOperationException("sandboxes have no pool of such VMs");
    }

    @Override
    public Vm connect(VmId id, Deadline deadline) {
        return new FiledVm(memory.connect(id, deadline));
    }

    @Override
    public Vm adopt(VmId id, Deadline deadline) {
        return new FiledVm(memory.adopt(id, deadline));
    }

    @Override
    public VmExit kill(VmId id, Deadline deadline) {
        return memory.get(id).isPresent() ? memory.kill(id, deadline) : exit();
    }

    @Override
    public void destroy(VmId id) {
        memory.destroy(id);
        LockFile guard = guards.remove(id);
        if (guard != null) {
            guard.close();
        }
        remove(of(id));
    }

    private static void remove(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (NoSuchFileException gone) {
            // As was to be reached.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<VmInfo> list() {
        List<VmInfo> all = new ArrayList<>();
        try (Stream<Path> entries = Files.list(directory)) {
            entries.map(entry -> new VmId(entry.getFileName().toString())).forEach(id -> get(id).ifPresent(all::add));
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    @Override
    public Optional<VmInfo> get(VmId id) {
        Optional<VmInfo> mine = memory.get(id);
        if (mine.isPresent()) {
            return mine;
        }
        if (!Files.isDirectory(of(id))) {
            return Optional.empty();
        }
        if (!Files.exists(of(id).resolve(STARTED))) {
            return Optional.of(new VmInfo(id, VmState.CREATED, Optional.empty(), Optional.empty()));
        }
        return Optional.of(
                LockFile.isHeld(of(id).resolve(LOCK))
                        ? new VmInfo(id, VmState.RUNNING, Optional.empty(), Optional.empty())
                        : new VmInfo(id, VmState.FAILED, Optional.empty(), Optional.of(exit())));
    }

    private static VmExit exit() {
        return new VmExit(
                VmExit.Cause.GUARD_LOST,
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Instant.EPOCH,
                Instant.EPOCH);
    }

    @Override
    public void close() {
        memory.close();
        guards.values().forEach(LockFile::close);
    }

    private final class FiledVm extends ForwardingVm {
        FiledVm(Vm vm) {
            super(vm);
        }

        @Override
        public void start(Deadline deadline) {
            started(id());
            vm.start(deadline);
        }

        @Override
        public void start(Supplier<GuestIdentity> identity, Deadline deadline) {
            started(id());
            vm.start(identity, deadline);
        }

        @Override
        public SnapshotRef suspend(SnapshotName name, Consumer<SnapshotRef> kept, Deadline deadline) {
            return vm.suspend(
                    name,
                    whole -> {
                        memories.published(whole);
                        kept.accept(whole);
                    },
                    deadline);
        }

        @Override
        public void load(Deadline deadline) {
            started(id());
            vm.load(deadline);
        }

        @Override
        public void resume(Supplier<GuestIdentity> identity, Deadline deadline) {
            memory.spec(id()).flatMap(VmSpec::snapshot).map(SnapshotRef::name).ifPresent(memories::goesOn);
            vm.resume(identity, deadline);
        }

        @Override
        public void prepare(Deadline deadline) {
            started(id());
            vm.prepare(deadline);
        }

        @Override
        public void prepare(Consumer<Guest> exercise, Deadline deadline) {
            started(id());
            vm.prepare(exercise, deadline);
        }

        @Override
        public void destroy() {
            vm.destroy();
            remove(of(id()));
        }
    }
}
