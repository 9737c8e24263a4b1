package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageStore;
import dev.cloche.linux.LinuxException;
import dev.cloche.linux.LockFile;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** What machines are kept in and made of. */
record Ground(MachineStore store, EventLog events, ImageStore images, VmProvider vms, Clock clock) {
    private static final String HOLDER_KIND = "machine";
    private static final String LOCKS = ".locks";
    /** A boot, or the copy of a disk. */
    private static final Duration OTHERS_LIMIT = Duration.ofMinutes(10);

    /** Who holds the image of a machine: by what stays when it is renamed. */
    static ImageHolder holder(PersistedMachine machine) {
        return new ImageHolder(
                HOLDER_KIND, machine.vmId().value(), machine.name().value());
    }

    Optional<VmInfo> vm(PersistedMachine machine) {
        return vms.get(machine.vmId());
    }

    boolean alive(PersistedMachine machine) {
        return vm(machine).filter(vm -> vm.state().live()).isPresent();
    }

    /** What its file and its VM say together. */
    MachineInfo info(PersistedMachine machine) {
        return MachineInfo.of(machine, vm(machine), inWork(machine));
    }

    /** Whether somebody works on it right now. */
    boolean inWork(PersistedMachine machine) {
        Path lock = lock(machine);
        try {
            return LockFile.isHeld(lock);
        } catch (LinuxException unreadable) {
            return false;
        }
    }

    /**
     * Works on a machine while nobody else does, in any process. What only reads needs no such thing.
     *
     * @throws MachineException.NotFound if there is none of that name
     * @throws MachineException.Broken if its file cannot be used
     * @throws MachineException.Busy if others are at it for too long
     */
    <T> T working(MachineName name, Deadline deadline, Function<PersistedMachine, T> work) {
        while (true) {
            PersistedMachine seen = store.load(name);
            try (HeldLock _ = HeldLock.take(ensured(lock(seen)), deadline.orAfter(OTHERS_LIMIT))
                    .orElseThrow(() -> new MachineException.Busy(name.value()))) {
                PersistedMachine now = store.load(name);
                // Whoever had the lock before may have removed it, and somebody made another of that name.
                if (now.vmId().equals(seen.vmId())) {
                    return work.apply(now);
                }
            }
        }
    }

    /** The lock of a machine that is gone. Who waits for it finds no machine then: its id is never used again. */
    void forget(PersistedMachine machine) {
        try {
            Files.deleteIfExists(lock(machine));
        } catch (IOException empty) {
            // An empty file that is left disturbs nobody.
        }
    }

    private Path lock(PersistedMachine machine) {
        return store.directories().base().resolve(LOCKS).resolve(machine.vmId().value());
    }

    private Path ensured(Path lock) {
        try {
            DurableFiles.ensureDirectory(store.directories().base().resolve(LOCKS));
            return lock;
        } catch (IOException e) {
            throw new MachineException.Storage("The directory of locks cannot be made: " + e.getMessage() + ".", e);
        }
    }

    void note(PersistedMachine machine, String what, String detail) {
        events.add(machine.name().value(), what, detail);
    }
}
