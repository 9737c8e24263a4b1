package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Uninterrupted;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageStore;
import dev.cloche.linux.LinuxException;
import dev.cloche.linux.LockFile;
import dev.cloche.machine.CurrentMachine;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.HeldLock;
import dev.cloche.machine.config.MachineDirectories;
import dev.cloche.machine.config.MachineEventLog;
import dev.cloche.machine.config.MachineStore;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Holds what every operation on machines needs: their store and events, the images, the VMs and the clock; and the locks of
 * machines.
 */
public record MachineContext(
        MachineStore store, MachineEventLog events, ImageStore images, VmProvider vms, Clock clock) {
    static final String HOLDER_KIND = "machine";
    /** A boot, or the copy of a disk. */
    private static final Duration OTHERS_LIMIT = Duration.ofMinutes(10);

    /** Returns the holder of a machine's image, by what stays when it is renamed. */
    static ImageHolder holder(PersistedMachine machine) {
        return new ImageHolder(
                HOLDER_KIND, machine.vmId().value(), machine.name().value());
    }

    Optional<VmInfo> vm(PersistedMachine machine) {
        return vms.get(machine.vmId());
    }

    public boolean alive(PersistedMachine machine) {
        return vm(machine).filter(vm -> vm.state().live()).isPresent();
    }

    /** Returns what its file and its VM say together. */
    CurrentMachine info(PersistedMachine machine) {
        return CurrentMachine.of(machine, vm(machine), inWork(machine));
    }

    /** Returns whether a process or thread works on it right now. */
    boolean inWork(PersistedMachine machine) {
        return inWork(machine.vmId());
    }

    boolean inWork(VmId id) {
        Path lock = lock(id);
        try {
            return LockFile.isHeld(lock);
        } catch (LinuxException unreadable) {
            return false;
        }
    }

    /**
     * Works on a machine under its lock, which excludes all other processes and threads. What only reads needs no lock.
     *
     * @throws MachineException.NotFound if there is none of that name
     * @throws MachineException.Broken if its file cannot be used
     * @throws MachineException.Busy if others are at it for too long
     */
    public <T> T exclusively(MachineName name, Deadline deadline, Function<PersistedMachine, T> work) {
        while (true) {
            PersistedMachine seen = store.load(name);
            try (HeldLock _ = locked(seen.vmId(), name.value(), deadline.orAfter(OTHERS_LIMIT))) {
                PersistedMachine now = loadUnderLock(name, seen.vmId());
                // It may have been removed while this waited, and another of that name been made.
                if (now.vmId().equals(seen.vmId())) {
                    store.claim(now);
                    return work.apply(now);
                }
                forget(seen.vmId());
            }
        }
    }

    /** If the machine is gone, the wait for its lock has made the lock's file again. */
    private PersistedMachine loadUnderLock(MachineName name, VmId id) {
        try {
            return store.load(name);
        } catch (MachineException.NotFound gone) {
            forget(id);
            throw gone;
        }
    }

    /**
     * Returns the lock of an id, under which a machine is worked on, made, or cleared away.
     *
     * @throws MachineException.Busy if others are at it for too long
     */
    HeldLock locked(VmId id, String name, Deadline deadline) {
        return HeldLock.take(ensured(lock(id)), deadline).orElseThrow(() -> new MachineException.Busy(name));
    }

    /**
     * Makes a machine. That it is being made is recorded, and its lock held, before anything is kept under its id; so what a killed
     * process leaves is found, and what is being made is left alone. If it fails, nothing is left.
     */
    public <T> T creating(VmId id, MachineName name, Supplier<T> work) {
        try (HeldLock _ = locked(id, name.value(), Deadline.after(OTHERS_LIMIT))) {
            try {
                store.recordCreation(id, name);
                return work.get();
            } catch (Throwable failure) {
                Uninterrupted.after(failure, () -> {
                    ExternalResources resources = new ExternalResources(this);
                    resources.discard(id, name.value());
                    resources.forget(id);
                });
                throw failure;
            }
        }
    }

    /** The lock of a machine that is gone; its caller holds it. */
    void forget(VmId id) {
        try {
            Files.deleteIfExists(lock(id));
        } catch (IOException empty) {
            // An empty file that is left does no harm.
        }
    }

    private Path lock(VmId id) {
        return store.directories().base().resolve(MachineDirectories.LOCKS).resolve(id.value());
    }

    private Path ensured(Path lock) {
        try {
            DurableFiles.ensureDirectory(store.directories().base().resolve(MachineDirectories.LOCKS));
            return lock;
        } catch (IOException e) {
            throw new MachineException.Storage("The directory of locks cannot be made: " + e.getMessage() + ".", e);
        }
    }

    public void note(PersistedMachine machine, MachineEvent.Kind kind, String detail) {
        events.add(machine.name().value(), kind, detail);
    }
}
