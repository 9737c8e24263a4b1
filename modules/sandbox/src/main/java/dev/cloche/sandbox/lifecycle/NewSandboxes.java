package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.record.RowIds;
import dev.cloche.sandbox.record.SandboxStore;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Records new sandboxes under names that are free. */
final class NewSandboxes {
    private final SandboxContext context;
    private final SandboxTerminator terminator;

    NewSandboxes(SandboxContext context, SandboxTerminator terminator) {
        this.context = context;
        this.terminator = terminator;
    }

    /**
     * Describes a sandbox that is recorded, and this process's.
     *
     * @param lock of it, held since before any other process could see the record
     */
    public record Place(long id, OwnerLock lock) {}

    /** @throws SandboxException.NameInUse if another sandbox has the name */
    Place claim(SandboxStore.NewSandbox row, Optional<SandboxStore.NewRun> run) {
        String name = row.name();
        Optional<Place> place = insert(row, run);
        if (place.isEmpty()) {
            // The holder of the name may be an ephemeral sandbox that has ended and was not looked at since.
            Optional<SandboxRecord> other = context.store().byName(name).flatMap(terminator::settled);
            if (other.isPresent()) {
                throw new SandboxException.NameInUse(name, other.get().status());
            }
            place = insert(row, run);
        }
        return place.orElseThrow(() -> new SandboxException.NameInUse(name, SandboxStatus.STARTING));
    }

    /**
     * Keeps the secrets before any process can see the row, so that no start ever goes without what the sandbox was
     * given.
     */
    private static void keepSecrets(SandboxDirectory directory, SandboxSpec spec, boolean starting) {
        if (!(spec.ephemeral() && starting)) {
            directory.secrets().write(spec.secrets());
        }
    }

    private Optional<Place> insert(SandboxStore.NewSandbox row, Optional<SandboxStore.NewRun> run) {
        try {
            return insertNext(row, run);
        } catch (RowIds.Taken leftByALostCatalog) {
            context.store().skipIds(RowIds.highestIn(context.locks().sandboxes()));
            return insertNext(row, run);
        }
    }

    private Optional<Place> insertNext(SandboxStore.NewSandbox row, Optional<SandboxStore.NewRun> run) {
        AtomicReference<@Nullable OwnerLock> taken = new AtomicReference<>();
        try {
            Optional<Long> id = context.store().insert(row, run, directory -> {
                RowIds.requireNew(context.locks().directory(directory).path());
                OwnerLock lock = context.locks().lockNew(directory);
                taken.set(lock);
                keepSecrets(lock.directory(), row.spec(), run.isPresent());
            });
            OwnerLock lock = taken.get();
            return id.isPresent() && lock != null ? Optional.of(new Place(id.get(), lock)) : Optional.empty();
        } catch (Throwable failure) {
            OwnerLock lock = taken.get();
            if (lock != null) {
                lock.directory().remove();
                lock.close();
            }
            throw failure;
        }
    }
}
