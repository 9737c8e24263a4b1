package dev.cloche.vmm.admission;

import dev.cloche.vm.VmLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * Decides whether there is room for a VM. Pure.
 *
 * @param limits in effect
 * @param host as it is now
 */
public record AdmissionRules(VmLimits limits, HostRoom host) {
    private static final Comparator<Holder> OLDEST = Comparator.comparing(
                    (Holder entry) -> entry.shelved().orElse(Duration.ZERO))
            .reversed()
            .thenComparing(Holder::id);

    /** What a claim comes to under these limits. */
    private record Charge(VmClaim claim, long memoryMiB) {}

    /**
     * Decides on a claim.
     *
     * @param holders whose claims count
     * @param ahead what those want that came before and wait: what there is belongs to them first
     */
    public Decision decide(Collection<Holder> holders, Collection<VmClaim> ahead, VmClaim wanted) {
        Charge charge = charge(wanted);
        Optional<Shortage> always = new AdmissionRules(limits, host.empty()).shortage(List.of(), 0, charge);
        if (always.isPresent()) {
            return new Decision.Never(always.get());
        }
        if (wanted.pooled() && !ahead.isEmpty()) {
            return new Decision.Refuse(Shortage.of(Shortage.Kind.TURN, Optional.empty(), 1, 0, ahead.size()));
        }
        List<Charge> waiting = ahead.stream().map(this::charge).toList();
        Optional<Shortage> now = shortage(holders, waiting, 0, charge);
        if (now.isEmpty()) {
            return new Decision.Admit();
        }
        return wanted.pooled() ? new Decision.Refuse(now.get()) : yielding(holders, waiting, charge, now.get());
    }

    /**
     * Says whether a bound could refuse that a VM which runs already becomes another one's: it takes no more of its host than
     * before, and is one sandbox and what its labels stand for more.
     */
    static boolean boundsExchange(VmLimits limits, VmClaim wanted) {
        return limits.total().sandboxes().isPresent()
                || wanted.labels().stream().anyMatch(limits.labels()::containsKey);
    }

    /** Finds how many entries of pools have to go, the oldest first; none goes in vain. */
    private Decision yielding(Collection<Holder> holders, List<Charge> waiting, Charge wanted, Shortage now) {
        List<Holder> left = new ArrayList<>(holders);
        List<Holder> going = new ArrayList<>();
        long freed = 0;
        for (Holder entry : holders.stream()
                .filter(holder -> holder.shelved().isPresent())
                .sorted(OLDEST)
                .toList()) {
            left.remove(entry);
            going.add(entry);
            freed += charge(entry).memoryMiB();
            if (shortage(left, waiting, freed, wanted).isEmpty()) {
                return new Decision.Yield(going, now);
            }
        }
        return new Decision.Refuse(now);
    }

    /** Returns what all claims come to together, in MiB of memory. */
    public long claimedMiB(Collection<Holder> holders) {
        return holders.stream().mapToLong(holder -> charge(holder).memoryMiB()).sum();
    }

    private Charge charge(Holder holder) {
        return new Charge(holder.claim(), holder.claim().charged(limits.clones(), holder.ownMiB()));
    }

    private Charge charge(VmClaim claim) {
        return new Charge(claim, claim.charged(limits.clones(), 0));
    }

    private Optional<Shortage> shortage(Collection<Holder> holders, List<Charge> waiting, long freed, Charge wanted) {
        List<Charge> others = new ArrayList<>(waiting);
        holders.forEach(holder -> others.add(charge(holder)));
        long ahead = waiting.stream().mapToLong(Charge::memoryMiB).sum();
        return new AdmissionRules(limits, host.withFreed(freed)).shortage(others, ahead, wanted);
    }

    /** @param ahead MiB that are promised, and not used yet */
    private Optional<Shortage> shortage(List<Charge> others, long ahead, Charge wanted) {
        return bound(
                        Shortage.Kind.MEMORY,
                        Optional.empty(),
                        limits.memory().of(host.totalMiB()),
                        others,
                        wanted,
                        MEMORY)
                .or(() -> bounds(Optional.empty(), limits.total(), others, wanted))
                .or(() -> labels(others, wanted))
                .or(() -> memoryFloor(ahead, wanted.memoryMiB()))
                .or(this::pressure)
                .or(this::diskShortage);
    }

    private static final ToLongFunction<Charge> MEMORY = Charge::memoryMiB;

    private Optional<Shortage> labels(List<Charge> others, Charge wanted) {
        return limits.labels().entrySet().stream()
                .filter(bounded -> wanted.claim().labels().contains(bounded.getKey()))
                .sorted(Map.Entry.comparingByKey())
                .flatMap(bounded -> {
                    String label = bounded.getKey();
                    List<Charge> same = others.stream()
                            .filter(other -> other.claim().labels().contains(label))
                            .toList();
                    return bounds(Optional.of(label), bounded.getValue(), same, wanted).stream();
                })
                .findFirst();
    }

    private static Optional<Shortage> bounds(
            Optional<String> label, VmLimits.Bound bound, List<Charge> others, Charge wanted) {
        return bound(Shortage.Kind.MEMORY, label, bound.memoryMiB(), others, wanted, MEMORY)
                .or(() -> bound(
                        Shortage.Kind.CPUS,
                        label,
                        bound.cpus(),
                        others,
                        wanted,
                        charge -> charge.claim().cpus()))
                .or(() -> bound(
                        Shortage.Kind.SANDBOXES,
                        label,
                        bound.sandboxes(),
                        others,
                        wanted,
                        charge -> charge.claim().pooled() ? 0 : 1))
                .or(() -> bound(
                        Shortage.Kind.DISK,
                        label,
                        bound.diskMiB(),
                        others,
                        wanted,
                        charge -> charge.claim().diskMiB()));
    }

    private static Optional<Shortage> bound(
            Shortage.Kind kind,
            Optional<String> label,
            OptionalLong most,
            List<Charge> others,
            Charge wanted,
            ToLongFunction<Charge> size) {
        long needed = size.applyAsLong(wanted);
        if (most.isEmpty() || needed == 0) {
            return Optional.empty();
        }
        long free = most.getAsLong() - others.stream().mapToLong(size).sum();
        return needed <= free
                ? Optional.empty()
                : Optional.of(Shortage.of(kind, label, needed, free, most.getAsLong()));
    }

    private Optional<Shortage> memoryFloor(long ahead, long wantedMiB) {
        OptionalLong floor = limits.memoryFloor().of(host.totalMiB());
        if (floor.isEmpty()) {
            return Optional.empty();
        }
        long free = host.availableMiB() - ahead - floor.getAsLong();
        return wantedMiB <= free
                ? Optional.empty()
                : Optional.of(
                        Shortage.of(Shortage.Kind.MEMORY_FLOOR, Optional.empty(), wantedMiB, free, floor.getAsLong()));
    }

    private Optional<Shortage> pressure() {
        if (limits.pressure().isEmpty() || host.pressure().isEmpty()) {
            return Optional.empty();
        }
        int most = limits.pressure().getAsInt();
        double found = host.pressure().getAsDouble();
        return found <= most
                ? Optional.empty()
                : Optional.of(Shortage.of(Shortage.Kind.PRESSURE, Optional.empty(), (long) Math.ceil(found), 0, most));
    }

    /** Returns what the host is short of whether or not another VM starts. */
    Optional<Shortage> memoryShortage() {
        return pressure().or(() -> memoryFloor(0, 0));
    }

    /** Returns what the disk has no room for, however much is to be written. */
    Optional<Shortage> diskShortage() {
        return diskFloor().or(this::stateDisk);
    }

    private Optional<Shortage> stateDisk() {
        OptionalLong most = limits.stateDisk().of(host.diskTotalMiB());
        if (most.isEmpty() || host.stateRootMiB().orElse(0) <= most.getAsLong()) {
            return Optional.empty();
        }
        return Optional.of(Shortage.of(
                Shortage.Kind.STATE_DISK, Optional.empty(), host.stateRootMiB().getAsLong(), 0, most.getAsLong()));
    }

    private Optional<Shortage> diskFloor() {
        OptionalLong floor = limits.diskFloor().of(host.diskTotalMiB());
        return floor.isEmpty() || host.diskFreeMiB() >= floor.getAsLong()
                ? Optional.empty()
                : Optional.of(Shortage.of(
                        Shortage.Kind.DISK_FLOOR,
                        Optional.empty(),
                        floor.getAsLong(),
                        host.diskFreeMiB(),
                        floor.getAsLong()));
    }
}
