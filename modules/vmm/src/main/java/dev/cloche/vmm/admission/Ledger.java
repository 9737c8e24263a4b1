package dev.cloche.vmm.admission;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits VMs as long as there is room for them: one at a time in a state root, under {@code admission.lock}. It keeps nothing but
 * the claims in the directories of VMs and the tickets of those that wait; a claim counts while its VM lives. Safe for use from
 * several threads and processes.
 */
public final class Ledger {
    /** An admission takes a millisecond; one that has entries of pools end takes as long as they do. */
    private static final Duration TURN_LIMIT = Duration.ofSeconds(60);

    private static final Duration RETIRE_LIMIT = Duration.ofSeconds(10);

    private static final Duration SEEN_FOR = Duration.ofMinutes(1);

    private final Path stateRoot;
    private final Path lock;
    private final Tickets tickets;
    private final ClaimHolders holders;
    private final Supplier<VmLimits> limits;
    private final HostRoomReader host;
    private volatile @Nullable Seen seen;

    private record Seen(HostRoom room, long nanos) {}

    /** @param limits asked at each admission */
    public Ledger(Path stateRoot, ClaimHolders holders, Supplier<VmLimits> limits, HostRoomReader host) {
        this.stateRoot = stateRoot;
        lock = stateRoot.resolve("admission.lock");
        tickets = new Tickets(stateRoot.resolve("admission"));
        this.holders = holders;
        this.limits = limits;
        this.host = host;
    }

    /** Makes what has been admitted. */
    public interface Maker<T> {
        /** Makes it, with its claim where the holders are looked for: no other one is admitted before it returns. */
        T make() throws IOException;
    }

    /** Describes an admission that was refused for now. */
    private record Refused(Shortage shortage, List<Holder> holding, List<Tickets.Waiting> ahead) {}

    /**
     * Makes something as soon as there is room for it. With limits that are off, at once.
     *
     * @param patience how long this waits for room
     * @throws VmException.NoRoom if there is none in that time, or never
     * @throws IOException from the maker, or if the ledger's files cannot be used
     */
    public <T> T admit(VmClaim wanted, Duration patience, Maker<T> maker) throws IOException {
        if (!limits.get().on()) {
            return maker.make();
        }
        try {
            return admitInTurn(wanted, patience, maker);
        } catch (ClosedByInterruptException interrupted) {
            // While a file was written; the interrupt's status is set.
            throw new VmException.Interrupted("the wait for room");
        }
    }

    private <T> T admitInTurn(VmClaim wanted, Duration patience, Maker<T> maker) throws IOException {
        Deadline deadline = Deadline.after(patience);
        Tickets.Ticket ticket;
        Refused refused;
        try (LockFile _ = turn()) {
            Optional<Refused> none = refusal(limits.get(), wanted, Optional.empty(), OptionalLong.empty());
            if (none.isEmpty()) {
                return maker.make();
            }
            refused = none.get();
            if (deadline.passed()) {
                throw noRoom(refused, false);
            }
            ticket = tickets.take(wanted);
        }
        return queued(wanted, ticket, refused, deadline, maker);
    }

    private <T> T queued(VmClaim wanted, Tickets.Ticket ticket, Refused first, Deadline deadline, Maker<T> maker)
            throws IOException {
        try (ticket) {
            Refused refused = first;
            while (true) {
                boolean last = deadline.passed();
                try (RoomWait wait = new RoomWait(refused.holding(), refused.ahead())) {
                    wait.await(deadline);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new VmException.Interrupted("the wait for room");
                }
                try (LockFile _ = turn()) {
                    Optional<Refused> none =
                            refusal(limits.get(), wanted, Optional.empty(), OptionalLong.of(ticket.number()));
                    if (none.isEmpty()) {
                        T made = maker.make();
                        // Before others look: its claim counts from now on, and not twice.
                        ticket.close();
                        return made;
                    }
                    refused = none.get();
                }
                if (last) {
                    throw noRoom(refused, false);
                }
            }
        }
    }

    /** Notes what a VM is from now on. */
    public interface Noting {
        void note() throws IOException;
    }

    /**
     * Has an entry of a pool become a sandbox, if there is room for that; does not wait.
     *
     * @param entry counted already, and not beside what it becomes
     * @param wanted what it becomes
     * @param noting of that; not called where nothing looks at it before the entry is claimed, which says the same of one
     *     without labels
     * @throws VmException.NoRoom if there is none
     */
    public void exchange(VmId entry, VmClaim wanted, Noting noting) throws IOException {
        VmLimits all = limits.get();
        if (!all.on()) {
            return;
        }
        VmLimits now = all.withoutFloors();
        boolean bounded = AdmissionRules.boundsExchange(now, wanted);
        if (!bounded && wanted.labels().isEmpty() && tickets.isEmpty()) {
            return;
        }
        try (LockFile _ = turn()) {
            if (bounded || !tickets.ahead(OptionalLong.empty()).isEmpty()) {
                Optional<Refused> none = refusal(now, wanted, Optional.of(entry), OptionalLong.empty());
                if (none.isPresent()) {
                    throw noRoom(none.get(), false);
                }
            }
            noting.note();
        }
    }

    /**
     * Refuses what would have no room on an empty host.
     *
     * @throws VmException.NoRoom if that is so
     */
    public void requirePossible(VmClaim wanted) {
        VmLimits now = limits.get();
        if (!now.on()) {
            return;
        }
        // What the host has at most seldom changes, and what starts is admitted by what it has then.
        Seen last = seen;
        if (last != null
                && System.nanoTime() - last.nanos() < SEEN_FOR.toNanos()
                && never(now, last.room(), wanted).isEmpty()) {
            return;
        }
        HostRoom room = host.read();
        seen = new Seen(room, System.nanoTime());
        never(now, room, wanted).ifPresent(shortage -> {
            throw noRoom(new Refused(shortage, List.of(), List.of()), true);
        });
    }

    private static Optional<Shortage> never(VmLimits now, HostRoom room, VmClaim wanted) {
        return new AdmissionRules(now, room).decide(List.of(), List.of(), wanted)
                        instanceof Decision.Never(Shortage shortage)
                ? Optional.of(shortage)
                : Optional.empty();
    }

    /**
     * Refuses what is about to take much of the disk, where there is less left than is to be left, or the state root takes more
     * than it may.
     *
     * @throws VmException.NoRoom if that is so
     */
    public void requireDiskRoom() {
        VmLimits now = limits.get();
        if (now.diskFloor().of(0).isPresent() || boundsStateDisk(now)) {
            new AdmissionRules(now, room(now)).diskShortage().ifPresent(shortage -> {
                throw new ShortageText(shortage, now.clones(), List.of()).noDisk();
            });
        }
    }

    /**
     * Counts what the state root takes of its disk, if that is bounded.
     *
     * @throws VmException.Deadline if that takes longer; the former count stays
     * @throws IOException if that cannot be read or written; so it does then
     */
    public void countStateDisk(Deadline deadline) throws IOException {
        if (boundsStateDisk(limits.get())) {
            DiskUseFile.count(stateRoot, deadline);
        }
    }

    private static boolean boundsStateDisk(VmLimits limits) {
        return limits.stateDisk().of(0).isPresent();
    }

    /** Returns what the host has now, with what these limits look at. */
    private HostRoom room(VmLimits now) {
        HostRoom room = host.read();
        return boundsStateDisk(now) ? room.withStateRoot(DiskUseFile.readMiB(stateRoot)) : room;
    }

    /**
     * Says of what memory the host is short, where entries of pools are to go then.
     *
     * @return part of a sentence; empty where there is enough, or nothing is to be done about it
     */
    public Optional<String> memoryShortage() {
        VmLimits now = limits.get();
        return now.underPressure() == VmLimits.UnderPressure.NOTHING
                ? Optional.empty()
                : new AdmissionRules(now, host.read())
                        .memoryShortage()
                        .map(shortage -> new ShortageText(shortage, now.clones(), List.of()).left());
    }

    /** Describes what is claimed. */
    public record Balance(VmLimits limits, HostRoom host, List<Holder> holders, int waiting) {
        /** Returns what all claims come to, in MiB of memory. */
        public long claimedMiB() {
            return new AdmissionRules(limits, host).claimedMiB(holders);
        }
    }

    /** Returns what is claimed at present; for people, others are admitted meanwhile. */
    public Balance balance() throws IOException {
        VmLimits now = limits.get();
        try (LockFile _ = turn()) {
            return new Balance(
                    now,
                    room(now),
                    holders.find(),
                    tickets.ahead(OptionalLong.empty()).size());
        }
    }

    /**
     * Returns why there is no room. Has entries of pools end where that makes some.
     *
     * @param without a VM that does not count
     * @param before the ticket of the caller
     */
    private Optional<Refused> refusal(VmLimits now, VmClaim wanted, Optional<VmId> without, OptionalLong before)
            throws IOException {
        List<Tickets.Waiting> ahead = tickets.ahead(before);
        Collection<VmClaim> promised =
                ahead.stream().map(Tickets.Waiting::wanted).toList();
        // Where there is room beside the most that there can be, it is not asked who lives, and what each clone has.
        List<Holder> most = others(holders.atMost(), without);
        if (new AdmissionRules(now, room(now)).decide(most, promised, wanted) instanceof Decision.Admit) {
            return Optional.empty();
        }
        while (true) {
            List<Holder> holding = others(holders.find(), without);
            switch (new AdmissionRules(now, room(now)).decide(holding, promised, wanted)) {
                case Decision.Admit() -> {
                    return Optional.empty();
                }
                case Decision.Never(Shortage shortage) -> throw noRoom(new Refused(shortage, holding, ahead), true);
                case Decision.Refuse(Shortage shortage) -> {
                    return Optional.of(new Refused(shortage, holding, ahead));
                }
                case Decision.Yield(List<Holder> entries, Shortage shortage) -> {
                    boolean any = false;
                    for (Holder entry : entries) {
                        any |= holders.retire(entry.id(), Deadline.after(RETIRE_LIMIT));
                    }
                    if (!any) {
                        // All were handed out at this moment.
                        return Optional.of(new Refused(shortage, holding, ahead));
                    }
                }
            }
        }
    }

    private static List<Holder> others(List<Holder> all, Optional<VmId> without) {
        return all.stream()
                .filter(holder -> without.filter(holder.id()::equals).isEmpty())
                .toList();
    }

    private LockFile turn() {
        try {
            return LockFile.lock(lock, Deadline.after(TURN_LIMIT))
                    .orElseThrow(() -> new VmException.Deadline("a turn at the ledger of the limits"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VmException.Interrupted("the wait for a turn at the ledger of the limits");
        }
    }

    private VmException.NoRoom noRoom(Refused refused, boolean never) {
        VmLimits now = limits.get();
        return new ShortageText(refused.shortage(), now.clones(), refused.holding()).noRoom(never);
    }
}
