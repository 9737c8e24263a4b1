package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageReference;
import dev.cloche.pool.HandOff;
import dev.cloche.pool.PoolException;
import dev.cloche.pool.PoolShelf;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.WarmVm;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.PoolStore;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/** Starts sandboxes from the pool of their shape, where there is one. */
public record WarmStarts(
        PoolStore store, PoolShelf shelf, TemplateStore templates, PoolRefiller refiller, Clock clock) {
    /** Where no process keeps the pool, a warm VM is had at once or not at all. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** In the queue of a process that keeps the pool; after that it starts by itself. */
    private static final Duration WAIT = Duration.ofSeconds(30);

    private static final String NONE_READY = "no VM of the pool was ready";

    /**
     * Describes a start for which there could be a warm VM.
     *
     * @param vm as it would be booted or restored
     * @param memory of the prepared template that it is of; empty for one of an image
     * @param isolated whether the walls around a VM of a pool are enough for it
     */
    public record Request(
            VmSpec vm, PoolShape shape, Optional<SnapshotRef> memory, GuestSetup setup, Predicate<VmId> isolated) {
        /** Returns that of a sandbox of an image. */
        public static Request ofImage(VmSpec vm, ImageReference image, GuestSetup setup, Predicate<VmId> isolated) {
            PoolShape shape = new PoolShape(
                    image, vm.memoryMiB(), vm.cpus(), vm.network() instanceof NetworkSpec.User, Optional.empty());
            return new Request(vm, shape, Optional.empty(), setup, isolated);
        }

        /** Returns why no VM of a pool can become this one: it has what cannot be given to a VM that runs. */
        public Optional<String> unfit() {
            if (vm.network() instanceof NetworkSpec.User user && !user.ports().isEmpty()) {
                return Optional.of("it publishes ports, which are opened when a VM starts");
            }
            if (memory.isEmpty() && !vm.writable().equals(WritableLayer.inMemory())) {
                return Optional.of("it has a disk, which the pool's VMs have not");
            }
            return Optional.empty();
        }

        private String version(TemplateStore templates) {
            return memory.map(SnapshotRef::name)
                    .orElseGet(() -> templates.name(vm))
                    .value();
        }
    }

    /**
     * Says what came of it.
     *
     * @param pool of the shape, if there is one that it could have been of
     * @param missed why it was not, if there is a pool
     */
    public record Outcome(Optional<WarmVm> vm, Optional<Long> pool, Optional<String> missed) {
        public static final Outcome NO_POOL = new Outcome(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Is told, by the thread that takes it, which VM a start gets. What it throws is thrown on. */
    public interface Acquirer {
        /** Records the VM that is about to be claimed. */
        void chosen(VmId vm);

        /** Does what can be done while the VM's guest becomes this sandbox's. */
        void meanwhile(VmId vm);
    }

    /** Takes a VM of the pool. If pools fail in any way, there is another way to start. */
    public Outcome take(Request request, Acquirer acquirer, Deadline deadline) {
        Optional<PoolRow> pool = store.find(request.shape());
        if (pool.isEmpty()) {
            return otherwise(request);
        }
        Optional<String> unfit = request.unfit();
        if (unfit.isPresent()) {
            return new Outcome(Optional.empty(), Optional.empty(), unfit);
        }
        StackKey key = request.shape().key(pool.get().policy().version(request.version(templates)));
        HandOff handOff = new ClaimingHandOff(request, clock, acquirer);
        Optional<KeptPools> kept = refiller.kept();
        try {
            return kept.isPresent()
                    ? keptOutcome(kept.get(), pool.get().id(), key, handOff, deadline)
                    : shelfOutcome(pool.get().id(), key, handOff, deadline);
        } finally {
            refiller.taken(pool.get().id());
        }
    }

    private Outcome keptOutcome(KeptPools kept, long pool, StackKey key, HandOff handOff, Deadline deadline) {
        try {
            WarmVm taken = kept.acquire(key, handOff, deadline.orAfter(WAIT));
            Optional<String> missed = taken.kind() == dev.cloche.pool.PoolStartKind.WARM
                    ? Optional.empty()
                    : Optional.of(NONE_READY + ", and it waited for the next");
            return new Outcome(Optional.of(taken), Optional.of(pool), missed);
        } catch (PoolException.UnknownKey notYet) {
            kept.missing();
            return shelfOutcome(pool, key, handOff, deadline);
        } catch (PoolException otherwise) {
            // Also if this thread was interrupted: what it does next says so.
            return new Outcome(
                    Optional.empty(), Optional.of(pool), Optional.of(NONE_READY + ": " + otherwise.sentence()));
        }
    }

    private Outcome shelfOutcome(long pool, StackKey key, HandOff handOff, Deadline deadline) {
        try {
            Optional<WarmVm> taken = shelf.take(key, handOff, deadline.orAfter(PATIENCE));
            return new Outcome(
                    taken, Optional.of(pool), taken.isPresent() ? Optional.empty() : Optional.of(NONE_READY));
        } catch (PoolException.Unfit unfit) {
            return new Outcome(Optional.empty(), Optional.of(pool), Optional.of(NONE_READY + ": " + unfit.sentence()));
        }
    }

    /** Tells why there is none of the shape, for a user that has set one up for the other network. */
    private Outcome otherwise(Request request) {
        PoolShape other = request.shape().withNetwork(!request.shape().network());
        if (store.find(other).isEmpty()) {
            return Outcome.NO_POOL;
        }
        String why = other.network()
                ? "the pool of its size has VMs with a network, and it has none"
                : "it has a network, which the pool's VMs have not";
        return new Outcome(Optional.empty(), Optional.empty(), Optional.of(why));
    }

    /** Hands a VM over to its sandbox; one at a time. */
    private static final class ClaimingHandOff implements HandOff {
        private final Request request;
        private final Clock clock;
        private final Acquirer acquirer;
        private Optional<VmId> chosen = Optional.empty();

        ClaimingHandOff(Request request, Clock clock, Acquirer acquirer) {
            this.request = request;
            this.clock = clock;
            this.acquirer = acquirer;
        }

        @Override
        public void chosen(VmId vm) {
            if (!request.isolated().test(vm)) {
                throw new PoolException.Unfit("the walls around its VMs are lower than is asked for");
            }
            acquirer.chosen(vm);
            chosen = Optional.of(vm);
        }

        @Override
        public Optional<Duration> longest() {
            return request.vm().maxDuration();
        }

        @Override
        public WritableLayer.Throttle throttle() {
            return request.vm().throttle();
        }

        @Override
        public GuestIdentity identity() {
            GuestIdentity identity = request.setup().identity(clock);
            // The pool's VMs ask whom the host asks, unless they are told otherwise here.
            return request.vm().network() instanceof NetworkSpec.User user
                    ? identity.withNetwork(user.guestNetwork(chosen.orElseThrow()))
                    : identity;
        }

        @Override
        public void meanwhile(VmId vm) {
            acquirer.meanwhile(vm);
        }
    }
}
