package dev.cloche.sandbox.directory;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.record.SandboxStore;
import java.nio.file.Path;
import java.util.Optional;

/** Takes the locks of sandboxes' owners, and reads what is recorded once no other process can change it. */
public final class SandboxLocks {
    private final Path sandboxes;
    private final SandboxStore store;

    private SandboxLocks(Path sandboxes, SandboxStore store) {
        this.sandboxes = sandboxes;
        this.store = store;
    }

    public static SandboxLocks in(Path stateRoot, SandboxStore store) {
        return new SandboxLocks(stateRoot.toAbsolutePath().resolve("sandboxes"), store);
    }

    /** Says what came of the attempt to get a sandbox into one's hands. */
    public sealed interface Claim {
        /**
         * The sandbox is this caller's until it closes the lock.
         *
         * @param record as it is now; others change it only by asking for a stop
         */
        public record Taken(OwnerLock lock, SandboxRecord record) implements Claim {}

        /** A living process has it: owns it, or is about to start, settle or remove it. */
        record Held() implements Claim {}

        /** It is not recorded any more, and nothing is left of its directory. */
        record Gone() implements Claim {}
    }

    /** Takes the lock of the sandbox with this row id, without waiting. */
    public Claim claim(SandboxRecord known) {
        SandboxDirectory directory = directory(known);
        Optional<OwnerLock> lock = directory.tryLock();
        if (lock.isEmpty()) {
            return new Claim.Held();
        }
        Optional<SandboxRecord> now = Optional.empty();
        try {
            now = store.byId(known.id());
            if (now.isPresent()) {
                return new Claim.Taken(lock.get(), now.get());
            }
            // Ids are given once: no other sandbox's directory can have this name.
            directory.remove();
            return new Claim.Gone();
        } finally {
            if (now.isEmpty()) {
                lock.get().close();
            }
        }
    }

    /**
     * Claims as {@link #claim} does, but waits for the process that has it; {@link Claim.Held} if that has it still when the
     * deadline passes.
     */
    public Claim claim(SandboxRecord known, Deadline deadline) throws InterruptedException {
        Claim claim = claim(known);
        while (claim instanceof Claim.Held && !deadline.passed()) {
            directory(known).awaitFree(deadline);
            claim = claim(known);
        }
        return claim;
    }

    /**
     * Claims and waits in the same way; a thread that is interrupted meanwhile finds it held, and stays interrupted.
     */
    public Claim claimPatiently(SandboxRecord known, Deadline deadline) {
        try {
            return claim(known, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Claim.Held();
        }
    }

    /** Says whether no living process has it at this moment. */
    public boolean isFree(SandboxRecord known) {
        return switch (claim(known)) {
            case Claim.Held() -> false;
            case Claim.Gone() -> true;
            case Claim.Taken(OwnerLock lock, SandboxRecord _) -> {
                lock.close();
                yield true;
            }
        };
    }

    public SandboxDirectory directory(SandboxRecord record) {
        return directory(record.directory());
    }

    /** Returns where the directories of all sandboxes are. */
    public Path sandboxes() {
        return sandboxes;
    }

    /** Returns the directory of a sandbox by its recorded name. */
    public SandboxDirectory directory(String name) {
        return new SandboxDirectory(sandboxes, name);
    }

    /** Takes the lock of a sandbox that no other process can know of yet. */
    public OwnerLock lockNew(String directory) {
        return directory(directory)
                .tryLock()
                .orElseThrow(() -> new IllegalStateException("the directory of a row that is being made is in use"));
    }
}
