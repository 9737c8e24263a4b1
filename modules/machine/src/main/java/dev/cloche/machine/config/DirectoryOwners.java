package dev.cloche.machine.config;

import dev.cloche.base.Printable;
import dev.cloche.machine.BrokenMachine;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Tells the directory that a {@code vm_id} belongs to from copies of it. All that is kept under the id (VM, lock, pin, memory) is
 * for that directory alone. Records are written and swept under the lock of the store.
 */
public final class DirectoryOwners {
    private final MachineDirectories directories;
    private final DirectoryClaims claims;

    DirectoryOwners(MachineDirectories directories) {
        this.directories = directories;
        claims = new DirectoryClaims(directories.base());
    }

    /** What the directories are at one moment, looked at when it is first needed. For one thread. */
    final class Look {
        private Optional<List<CandidateDirectory>> seen = Optional.empty();

        private List<CandidateDirectory> residents() throws IOException {
            if (seen.isEmpty()) {
                seen = Optional.of(CandidateDirectory.all(directories));
            }
            return seen.get();
        }
    }

    /**
     * Refuses a machine whose vm_id is another directory's, or may be.
     *
     * @throws MachineException.Broken if so
     * @throws MachineException.NotFound if it is gone meanwhile
     */
    void check(PersistedMachine machine, Look look) throws IOException {
        Optional<DirectoryClaim> claim = claims.of(machine.vmId());
        try {
            long inode = MachineDirectories.inode(directories.of(machine.name()));
            if (claim.filter(seen -> seen.inode() == inode).isPresent()) {
                return;
            }
        } catch (NoSuchFileException gone) {
            throw new MachineException.NotFound(machine.name());
        }
        Optional<CandidateDirectory> owner = OwnershipRules.owner(machine.vmId(), claim, look.residents());
        if (owner.filter(one -> isOf(one, machine)).isEmpty()) {
            throw new MachineException.Broken(copy(machine, owner, look.residents()));
        }
    }

    private static boolean isOf(CandidateDirectory candidate, PersistedMachine machine) {
        return candidate.name().equals(machine.name().value());
    }

    private BrokenMachine copy(
            PersistedMachine machine, Optional<CandidateDirectory> owner, List<CandidateDirectory> all) {
        String reason = owner.map(one -> "its vm_id is that of the machine \"" + Printable.brief(one.name()) + "\"")
                .orElseGet(() -> "its vm_id is also that of "
                        + OwnershipRules.meaning(machine.vmId(), all).stream()
                                .filter(one -> !isOf(one, machine))
                                .map(one -> "\"" + Printable.brief(one.name()) + "\"")
                                .collect(Collectors.joining(" and "))
                        + ", and what it was first given to is gone");
        return new BrokenMachine(
                machine.name().value(),
                directories.config(machine.name()),
                OptionalInt.empty(),
                reason,
                BrokenMachine.Cause.COPY);
    }

    /** Returns whether the id of a machine is its own. */
    boolean owns(PersistedMachine machine) throws IOException {
        try {
            check(machine, new Look());
            return true;
        } catch (MachineException.Broken copy) {
            return false;
        }
    }

    /** Records an id for a machine that is about to be made. */
    void recordCreation(VmId id, MachineName name) {
        storing(() -> {
            claims.put(id, DirectoryClaim.beginning(name));
            return id;
        });
    }

    /** Returns whether what was seen last is where the machine is now. */
    boolean isClaimed(PersistedMachine machine) {
        return storing(() -> claims.of(machine.vmId())
                .filter(seen -> seen.directory().equals(machine.name().value()))
                .filter(seen -> isInode(machine, seen.inode()))
                .isPresent());
    }

    private boolean isInode(PersistedMachine machine, long inode) {
        try {
            return MachineDirectories.inode(directories.of(machine.name())) == inode;
        } catch (IOException gone) {
            return false;
        }
    }

    /** Records that an id belongs to the directory of its machine. */
    void claim(PersistedMachine machine) {
        claim(machine, directories.of(machine.name()));
    }

    /** The same of a directory that is about to get its name. */
    void claim(PersistedMachine machine, Path directory) {
        storing(() -> {
            DirectoryClaim now = new DirectoryClaim(machine.name().value(), MachineDirectories.inode(directory));
            claims.put(machine.vmId(), now);
            return now;
        });
    }

    /** Forgets an id under which nothing is kept. */
    public void disown(VmId id) {
        storing(() -> {
            claims.remove(id);
            return id;
        });
    }

    /** Deletes what killed processes have left of records that they were writing. */
    void sweep() {
        storing(() -> {
            claims.sweep();
            return true;
        });
    }

    /** Returns what is recorded, by id. */
    public SortedMap<VmId, DirectoryClaim> claimed() {
        return storing(claims::all);
    }

    /** Returns the ids that have a lock and no record, as of a machine whose making has only just begun. */
    public List<VmId> locked() {
        return storing(() -> {
            SortedMap<VmId, DirectoryClaim> claimed = claims.all();
            return directories.locks().stream()
                    .flatMap(name -> DirectoryClaims.id(name).stream())
                    .filter(id -> !claimed.containsKey(id))
                    .toList();
        });
    }

    /** Returns whether no directory has a use for what belongs to an id. */
    public boolean isOrphan(VmId id) {
        return storing(() -> isOrphan(id, CandidateDirectory.all(directories)));
    }

    /** Returns the same, if there were no directory of that name. */
    public boolean isOrphanWithout(MachineName name, VmId id) {
        return storing(() -> isOrphan(
                id,
                CandidateDirectory.all(directories).stream()
                        .filter(one -> !one.name().equals(name.value()))
                        .toList()));
    }

    private boolean isOrphan(VmId id, List<CandidateDirectory> residents) throws IOException {
        return OwnershipRules.isOrphan(
                id, claims.of(id), residents, claims.all().values());
    }

    /** Returns the ids that a directory has, or was last seen to have; others may have them too. */
    public Set<VmId> idsOf(MachineName name) {
        return storing(() -> {
            Set<VmId> ids = new TreeSet<>();
            for (CandidateDirectory one : CandidateDirectory.all(directories)) {
                if (one.name().equals(name.value())) {
                    one.vmId().ifPresent(ids::add);
                    claims.all().forEach((id, claim) -> {
                        if (one.isNamedBy(claim)) {
                            ids.add(id);
                        }
                    });
                }
            }
            return ids;
        });
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> T storing(Work<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw new MachineException.Storage(
                    "The records of whose the machines in " + directories.base() + " are cannot be used: "
                            + e.getMessage() + ".",
                    e);
        }
    }
}
