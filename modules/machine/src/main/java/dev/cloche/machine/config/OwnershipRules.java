package dev.cloche.machine.config;

import dev.cloche.vm.VmId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Decides whose a {@code vm_id} is, where directories were copied, moved or put back by hand. Pure.
 *
 * <p>What was last seen decides first: the directory of that inode, which was moved at most; then the one of that name, which was
 * put back in its place. One whose file cannot be read counts there, so that no copy takes the place of a machine whose file is
 * being mended. Otherwise the id is that of the only directory whose file has it, and of none if there are several.
 */
final class OwnershipRules {
    private OwnershipRules() {}

    static Optional<CandidateDirectory> owner(VmId id, Optional<DirectoryClaim> claim, List<CandidateDirectory> all) {
        return claim.flatMap(seen -> first(all, one -> one.mayMean(id) && one.inode() == seen.inode()))
                .or(() -> claim.flatMap(seen ->
                        first(all, one -> one.mayMean(id) && one.name().equals(seen.directory()))))
                .or(() -> only(meaning(id, all)));
    }

    /** Returns all whose files have the id. */
    static List<CandidateDirectory> meaning(VmId id, List<CandidateDirectory> all) {
        return all.stream().filter(one -> one.means(id)).toList();
    }

    /**
     * Returns whether no directory has a use for what belongs to the id. One whose file was given another id by hand still
     * has: nothing of it goes before the directory does.
     *
     * @param claims of all ids
     */
    static boolean isOrphan(
            VmId id, Optional<DirectoryClaim> claim, List<CandidateDirectory> all, Collection<DirectoryClaim> claims) {
        if (owner(id, claim, all).isPresent() || !meaning(id, all).isEmpty()) {
            return false;
        }
        if (claim.isPresent()) {
            DirectoryClaim seen = claim.get();
            return all.stream()
                    .noneMatch(one -> one.inode() == seen.inode() && one.name().equals(seen.directory()));
        }
        // An unreadable file of which nothing was recorded may be the one that has it.
        return all.stream()
                .filter(one -> one.vmId().isEmpty())
                .allMatch(one -> claims.stream().anyMatch(one::isNamedBy));
    }

    private static Optional<CandidateDirectory> first(
            List<CandidateDirectory> all, Predicate<CandidateDirectory> which) {
        return all.stream().filter(which).findFirst();
    }

    private static Optional<CandidateDirectory> only(List<CandidateDirectory> some) {
        return some.size() == 1 ? Optional.of(some.getFirst()) : Optional.empty();
    }
}
