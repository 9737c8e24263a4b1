package dev.cloche.machine.config;

import dev.cloche.vm.VmId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Whose a {@code vm_id} is, where directories were copied, moved or put back by hand. Pure.
 *
 * <p>What was last seen decides first: the directory of that inode, which was moved at most; then the one of that name, which was
 * put back in its place. One whose file cannot be read counts there, so that no copy takes the place of a machine whose file is
 * being mended. Otherwise the id is that of the only directory whose file has it, and of none if there are several.
 */
final class Ownership {
    private Ownership() {}

    static Optional<Resident> owner(VmId id, Optional<Claim> claim, List<Resident> all) {
        return claim.flatMap(seen -> first(all, one -> one.mayMean(id) && one.inode() == seen.inode()))
                .or(() -> claim.flatMap(seen ->
                        first(all, one -> one.mayMean(id) && one.name().equals(seen.directory()))))
                .or(() -> only(meaning(id, all)));
    }

    /** All whose files have the id. */
    static List<Resident> meaning(VmId id, List<Resident> all) {
        return all.stream().filter(one -> one.means(id)).toList();
    }

    /**
     * Whether no directory has a use for what belongs to the id. One whose file was given another id by hand still has: nothing of
     * it goes before the directory does.
     *
     * @param claims of all ids
     */
    static boolean isOrphan(VmId id, Optional<Claim> claim, List<Resident> all, Collection<Claim> claims) {
        if (owner(id, claim, all).isPresent() || !meaning(id, all).isEmpty()) {
            return false;
        }
        if (claim.isPresent()) {
            Claim seen = claim.get();
            return all.stream()
                    .noneMatch(one -> one.inode() == seen.inode() && one.name().equals(seen.directory()));
        }
        // An unreadable file of which nothing was recorded may be the one that has it.
        return all.stream()
                .filter(one -> one.vmId().isEmpty())
                .allMatch(one -> claims.stream().anyMatch(one::isNamedBy));
    }

    private static Optional<Resident> first(List<Resident> all, Predicate<Resident> which) {
        return all.stream().filter(which).findFirst();
    }

    private static Optional<Resident> only(List<Resident> some) {
        return some.size() == 1 ? Optional.of(some.getFirst()) : Optional.empty();
    }
}
