package dev.cloche.pool;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.pool.core.RefillPlan;
import dev.cloche.pool.core.ShelfPlan;
import dev.cloche.pool.provision.Disposal;
import dev.cloche.pool.provision.EntryMaker;
import dev.cloche.pool.provision.HandOffProcedure;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Takes and fills the pool entries of a host as they lie on their shelves, for processes that come and go. A {@link
 * WarmPool} is for those that stay. An entry is a process's only while it is being made or handed over, so every
 * process finds all of them. Safe for use from several threads; one process is to fill at a time.
 */
public final class PoolShelf {
    private static final Comparator<Lying> YOUNGEST =
            Comparator.comparing(lying -> lying.vm().age());

    private final VmProvider provider;
    private final PoolConfig config;
    private final Supplier<PoolConfig.Budget> budget;
    private final Predicate<StackKey> ours;
    private final EntryMaker maker;
    private final HandOffProcedure procedure;

    /**
     * @param config of which the times for restores and preparations matter
     * @param budget of all entries of the host, asked before each one is made
     * @param ours which keys these shelves are of; entries of others count against the budget and are left alone
     */
    public PoolShelf(
            VmProvider provider, PoolConfig config, Supplier<PoolConfig.Budget> budget, Predicate<StackKey> ours) {
        this.budget = budget;
        this.provider = provider;
        this.config = config;
        this.ours = ours;
        Disposal disposal = new Disposal(config.destroyWithin());
        maker = new EntryMaker(provider, config, disposal, event -> {});
        procedure = new HandOffProcedure(provider, disposal, config.slowAfter());
    }

    /** Describes an entry of one of our keys. */
    public record Lying(StackKey key, PooledVm vm) {}

    /** Returns the entries of our keys, those of other processes included. */
    public List<Lying> look() {
        return look(provider.pooled());
    }

    private List<Lying> look(List<PooledVm> all) {
        return all.stream()
                .flatMap(vm -> StackKey.ofLabel(vm.slot().label()).filter(ours).map(key -> new Lying(key, vm)).stream())
                .toList();
    }

    /**
     * Hands over the youngest entry of a key that is healthy and that no other process is taking.
     *
     * @param deadline of the hand-over; nothing else is waited for
     * @return empty if there is none
     */
    public Optional<WarmVm> take(StackKey key, HandOff handOff, Deadline deadline) {
        long begin = System.nanoTime();
        List<Lying> ready = look().stream()
                .filter(lying -> lying.key().equals(key) && lying.vm().stage() == PooledVm.Stage.SHELVED)
                .sorted(YOUNGEST)
                .toList();
        for (Lying lying : ready) {
            Optional<Vm> vm = handOver(lying.vm().id(), handOff, deadline);
            if (vm.isPresent()) {
                Duration took = Duration.ofNanos(System.nanoTime() - begin);
                return Optional.of(new WarmVm(vm.get(), PoolStartKind.WARM, took));
            }
        }
        return Optional.empty();
    }

    private Optional<Vm> handOver(VmId id, HandOff handOff, Deadline deadline) {
        return switch (procedure.of(id, handOff, deadline)) {
            case HandOffProcedure.Outcome.Done(Vm vm) -> Optional.of(vm);
            case HandOffProcedure.Outcome.Broken _ -> Optional.empty();
            case HandOffProcedure.Outcome.Failed failed -> throw failed.thrown();
        };
    }

    /**
     * Says what our shelves are to have.
     *
     * @param others our keys besides those in stock whose entries stay as they are; entries of any further key go
     */
    public record Order(List<ShelfTarget> stocks, Predicate<StackKey> others) {
        public Order {
            stocks = List.copyOf(stocks);
        }
    }

    /** Is told how a filling goes on. */
    public interface FillListener {
        /** An entry of this key lies on its shelf. */
        default void made(StackKey key, Duration took) {}

        /** None could be made of this key, which gets no further ones in this filling. */
        default void failed(StackKey key, String code, String why) {}
    }

    /**
     * Brings the shelves to their stock, one VM after another, the poorest key first, and removes what they have beyond. The
     * budget and an interrupt end it early.
     *
     * @param orders asked before each step, so that a change is followed at once
     */
    public void fill(Supplier<Order> orders, FillListener listener) {
        Set<StackKey> failed = new HashSet<>();
        while (true) {
            Order order = orders.get();
            List<ShelfPlan> plans = tidy(order);
            Optional<ShelfTarget> next = Thread.currentThread().isInterrupted()
                    ? Optional.empty()
                    : poorest(
                            order.stocks(), plans.stream().map(ShelfPlan::need).toList(), failed);
            if (next.isEmpty()) {
                return;
            }
            if (!make(next.get(), listener)) {
                failed.add(next.get().key());
            }
        }
    }

    private Optional<ShelfTarget> poorest(List<ShelfTarget> wanted, List<RefillPlan.Need> needs, Set<StackKey> failed) {
        List<PooledVm> all = provider.pooled();
        PoolConfig.Budget most = budget.get();
        int vms = most.vms() - all.size();
        long memory =
                most.memoryMiB() - all.stream().mapToLong(PooledVm::memoryMiB).sum();
        List<RefillPlan.Need> possible =
                needs.stream().filter(need -> !failed.contains(need.key())).toList();
        return RefillPlan.plan(possible, 1, vms, memory).stream()
                .findFirst()
                .flatMap(key -> wanted.stream()
                        .filter(target -> target.key().equals(key))
                        .findFirst());
    }

    private boolean make(ShelfTarget target, FillListener listener) {
        StackKey key = target.key();
        return switch (maker.make(VmId.random(), key, target.registration())) {
            case EntryMaker.Made.Ready(Duration took) -> {
                listener.made(key, took);
                yield true;
            }
            case EntryMaker.Made.Failed failed -> {
                listener.failed(key, EntryMaker.code(failed.why()), ClocheException.sentenceOf(failed.why()));
                yield false;
            }
        };
    }

    /**
     * Removes the entries of our keys that are beyond an order, and orphans of any pool: VMs that no process owns and
     * none can use.
     */
    public void clear(Order order) {
        var _ = tidy(order);
    }

    /**
     * Removes the orphans of any pool: VMs that do not run any more, or were never finished, and that no process owns.
     */
    public void sweep() {
        var _ = withoutLeftovers(provider.pooled());
    }

    private List<ShelfPlan> tidy(Order order) {
        List<Lying> lying = look(withoutLeftovers(provider.pooled()));
        Set<StackKey> keys = new HashSet<>();
        List<ShelfPlan> plans = new ArrayList<>();
        for (ShelfTarget target : order.stocks()) {
            keys.add(target.key());
            List<PooledVm> entries = lying.stream()
                    .filter(each -> each.key().equals(target.key()))
                    .map(Lying::vm)
                    .toList();
            int opening = (int) entries.stream()
                    .filter(entry -> entry.stage() == PooledVm.Stage.OPEN)
                    .count();
            ShelfPlan plan = new ShelfPlan(target, entries, opening);
            plan.going().forEach(this::reclaim);
            plans.add(plan);
        }
        lying.stream()
                .filter(each -> !keys.contains(each.key()) && !order.others().test(each.key()))
                .forEach(each -> reclaim(each.vm().id()));
        return plans;
    }

    private List<PooledVm> withoutLeftovers(List<PooledVm> all) {
        return all.stream()
                .filter(vm -> vm.stage() == PooledVm.Stage.SHELVED || !isGone(vm.id(), provider::reclaimOrphan))
                .toList();
    }

    private void reclaim(VmId id) {
        var _ = isGone(id, provider::reclaim);
    }

    private boolean isGone(VmId id, BiPredicate<VmId, Deadline> removal) {
        try {
            return removal.test(id, Deadline.after(config.destroyWithin()));
        } catch (RuntimeException e) {
            Disposal.log("pool entry " + id + " is not reclaimed", e);
            return false;
        }
    }
}
